import { toJson } from "@bufbuild/protobuf";
import { Code, createContextKey, createContextValues, type Interceptor, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AgentService } from "@curlew/wire/gen/agent_v1_pb.js";
import {
  AiService,
  AnalyticsService,
  DashboardService,
  ErrorDetails_Error,
  Http2Config,
  ServerConfigService,
} from "@curlew/wire/gen/aiserver_v1_pb.js";
import { mintedKey } from "../auth/keys.js";
import { ownerSubject } from "../auth/tokens.js";
import { refuseCall } from "../server/admission.js";
import { pathOf, readBody, type SimRequest, type SimResponse, send, sendJson } from "../server/node-http.js";
import type { SimulatorOptions } from "../server/options.js";
import { refusal, sendRefusal } from "../server/refusal.js";
import type { JournalEntry, World } from "../server/world.js";
import { jsonOnlyAnswer } from "./json-only.js";
import { available, listing } from "./models.js";
import { periodUsage, planInfo, usageInStrings } from "./usage.js";

const MAX_TELEMETRY_BYTES = 16 * 1_048_576;

export interface Services {
  /** Returns false when the path is not a unary call of these services. */
  handle(request: SimRequest, response: SimResponse, entry: JournalEntry): boolean;
}

/** The unary Connect calls, in JSON and in protobuf. */
export function createServices(world: World): Services {
  const entries = new WeakMap<SimRequest, JournalEntry>();
  const entryKey = createContextKey<JournalEntry | undefined>(undefined);
  const journal: Interceptor = (next) => (request) => {
    if (!request.stream)
      request.contextValues.get(entryKey)?.messages.push(toJson(request.method.input, request.message));
    return next(request);
  };

  const config = serverConfig(world.options);
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

function dashboard(options: SimulatorOptions): ServiceImpl<typeof DashboardService> {
  const empty = () => ({});
  return {
    getMe: () => ({
      authId: ownerSubject,
      userId: 4_242,
      email: "owner@simulated.example",
      firstName: "Sim",
      lastName: "Owner",
      createdAt: "2026-11-01T00:00:00.000Z",
    }),
    getUserPrivacyMode: () => ({ privacyMode: options.privacyMode }),
    createUserApiKey: () => {
      if (options.mint === "ok") return { apiKey: mintedKey() };
      throw refusal(Code.PermissionDenied, ErrorDetails_Error.NOT_HIGH_ENOUGH_PERMISSIONS, {
        title: "Not permitted",
        detail: "Your team does not allow user API keys.",
      });
    },
    getCurrentPeriodUsage: () => periodUsage(options.usage),
    getPlanInfo: () => planInfo,
    getTeamAdminSettingsOrEmptyIfNotInTeam: empty,
    getTeamReposOrEmptyIfNotInTeam: empty,
    getGlobalCommands: empty,
    getManagedSkills: empty,
  };
}

const http2Configs = {
  h2: Http2Config.FORCE_ALL_ENABLED,
  h1: Http2Config.FORCE_ALL_DISABLED,
} as const;

function serverConfig(options: SimulatorOptions): ServiceImpl<typeof ServerConfigService> {
  return {
    getServerConfig: (_request, { url }) => {
      const agentUrl = options.agentUrl || new URL(url).origin;
      return {
        configVersion: "7b0e2c3a-1111-4222-8333-444455556666",
        http2Config: http2Configs[options.transport],
        agentUrlConfig: { agentUrl, agentnUrl: agentUrl },
      };
    },
  };
}

/** Any telemetry is accepted and ignored. */
function isTelemetry(path: string): boolean {
  return path.startsWith(`/${AnalyticsService.typeName}/`);
}

async function takeTelemetry(request: SimRequest, response: SimResponse, entry: JournalEntry): Promise<void> {
  const body = await readBody(request, MAX_TELEMETRY_BYTES);
  const isJson = request.headers["content-type"]?.includes("json") ?? false;
  entry.messages.push(() => shown(body, isJson));
  if (isJson) send(response, 200, "application/json", "{}");
  else send(response, 200, "application/proto", new Uint8Array());
}

function shown(body: Buffer, isJson: boolean): unknown {
  if (!isJson) return { base64: body.toString("base64") };
  try {
    return JSON.parse(body.toString());
  } catch {
    return { text: body.toString() };
  }
}
