import { toJson } from "@bufbuild/protobuf";
import { createContextKey, createContextValues, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AgentService } from "../../src/gen/agent_v1_pb.js";
import { AiService, DashboardService, ServerConfigService } from "../../src/gen/aiserver_v1_pb.js";
import { refuseCall } from "../admission.js";
import { pathOf, type SimRequest, type SimResponse, send, sendJson } from "../node-http.js";
import { sendRefusal } from "../refusal.js";
import type { JournalEntry, World } from "../world.js";
import { dashboard } from "./dashboard.js";
import { jsonOnlyAnswer } from "./json-only.js";
import { available, listing } from "./models.js";
import { serverConfig } from "./server-config.js";
import { isTelemetry, takeTelemetry } from "./telemetry.js";
import { usageInStrings } from "./usage.js";

export interface Services {
  /** Returns false when the path is not a unary call of these services. */
  handle(request: SimRequest, response: SimResponse, entry: JournalEntry): boolean;
}

/** The unary Connect calls, in JSON and in protobuf. */
export function createServices(world: World, url: () => string): Services {
  const entries = new WeakMap<SimRequest, JournalEntry>();
  const entryKey = createContextKey<JournalEntry | undefined>(undefined);
  const journal: Interceptor = (next) => (request) => {
    if (!request.stream)
      request.contextValues.get(entryKey)?.messages.push(toJson(request.method.input, request.message));
    return next(request);
  };

  const config = serverConfig(world.options, url);
  const adapter = connectNodeAdapter({
    interceptors: [journal],
    contextValues: (request) => createContextValues().set(entryKey, entries.get(request)),
    routes(router) {
      router.service(AgentService, { ...listing, getAllowedModelIntents: () => ({ modelIntents: [] }) });
      router.service(AiService, { ...listing, ...available, ...config });
      router.service(DashboardService, dashboard(world.options));
      router.service(ServerConfigService, config);
    },
  });

  return {
    handle(request, response, entry) {
      const path = pathOf(request);
      const jsonOnly = jsonOnlyAnswer(path, world.options);
      if (!unaryPaths.has(path) && !isTelemetry(path) && jsonOnly === undefined) return false;
      const refused = refuseCall(request, world);
      if (refused !== undefined) {
        request.resume();
        sendRefusal(response, refused);
      } else if (isTelemetry(path)) {
        takeTelemetry(request, response, entry).catch(() => response.destroy());
      } else if (jsonOnly !== undefined) {
        request.resume();
        if (wantsJson(request)) sendJson(response, 200, jsonOnly);
        else send(response, 415, "text/plain", "The simulator knows this call in JSON only.");
      } else if (wantsJson(request) && path === USAGE_PATH && world.options.usage === "strings") {
        // Generated code writes numbers as numbers, so this answer is made by hand.
        request.resume();
        send(response, 200, "application/json", usageInStrings());
      } else {
        entries.set(request, entry);
        adapter(request, response);
      }
      return true;
    },
  };
}

function wantsJson(request: SimRequest): boolean {
  return request.headers["content-type"]?.startsWith("application/json") ?? false;
}

const USAGE_PATH = `/${DashboardService.typeName}/${DashboardService.method.getCurrentPeriodUsage.name}`;

const unaryPaths: ReadonlySet<string> = new Set(
  [AgentService, AiService, DashboardService, ServerConfigService]
    .flatMap((service) => service.methods)
    .filter((method) => method.methodKind === "unary")
    .map((method) => `/${method.parent.typeName}/${method.name}`),
);
