import type { Context, Handler } from "hono";
import type { Gateway } from "../../gateway/index.js";
import { type PlanAnswerBody, playground, type UsageAnswer } from "../../page/index.js";
import { GatewayError } from "../../turn/error.js";
import { writeReport } from "../../usage/index.js";
import type { PageViews } from "../../views/index.js";
import { watchClient } from "../http/client-watch.js";
import { noteClient } from "../http/note-client.js";
import { throughRouter } from "../http/posted-turns.js";
import type { ServeTurn } from "../http/route.js";
import type { ServerEnv } from "../http/server-env.js";
import { parseQuestion, type UsageSource, writePlan } from "../usage/index.js";
import { addressOf } from "./address.js";
import { serveLive } from "./live.js";
import { API, type PageRoute } from "./page-route.js";
import { parseId, parseRequests } from "./parse.js";
import { writeModelProblem } from "./problem.js";

interface ApiDeps {
  /** What the views read, loaded when somebody looks. */
  readonly views: () => Promise<PageViews>;
  readonly usage: UsageSource;
  readonly gateway: Pick<Gateway, "stopAll">;
  /** Serves the turns of the playground. */
  readonly chat: ServeTurn;
  /** Aborted when the gateway stops. */
  readonly closing: AbortSignal | undefined;
}

/** Everything that the views of the page ask for. */
export function pageApi({ views, usage, gateway, chat, closing }: ApiDeps): readonly PageRoute[] {
  /** A client that leaves cancels its question. */
  const ask = <Answer>({ env }: Context<ServerEnv>, question: (signal: AbortSignal) => Promise<Answer>) => {
    const client = watchClient(env.incoming);
    return question(client.signal).finally(client.release);
  };
  const get = (path: string, handler: Handler<ServerEnv>): PageRoute => ({
    method: "GET",
    path: `${API}/${path}`,
    handler,
  });
  const post = (path: string, handler: Handler<ServerEnv>): PageRoute => ({
    method: "POST",
    path: `${API}/${path}`,
    handler,
  });
  return [
    get("now", async () => Response.json(await (await views()).now())),
    get("live", serveLive({ feed: async () => (await views()).feed, closing })),
    get("plan", async () => {
      const { plan, problem } = await usage.plan();
      const answer: PlanAnswerBody = { plan: plan === null ? null : writePlan(plan), problem };
      return Response.json(answer);
    }),
    get("requests", async ({ req }) => {
      const question = parseRequests((name) => req.query(name));
      return Response.json(await (await views()).requests(question));
    }),
    get("requests/:id", async ({ req }) => {
      const id = parseId(req.param("id"));
      const answer = id === undefined ? undefined : await (await views()).request(id);
      if (answer === undefined) {
        throw new GatewayError("route_not_found", "The ledger has no such request, or has it no longer.");
      }
      return Response.json(answer);
    }),
    get("usage", async ({ req }) => {
      const question = parseQuestion((name) => req.query(name), { mayNameClients: true });
      const answer: UsageAnswer = writeReport(await usage.report(question));
      return Response.json(answer);
    }),
    get("models", async (c) => {
      const { models } = await views();
      return ask(c, models).then(Response.json, writeModelProblem);
    }),
    get("clients", async (c) => {
      const { clients } = await views();
      return Response.json(await ask(c, (signal) => clients(addressOf(c.env.incoming.headers), signal)));
    }),
    post("stop-all", () => Response.json(gateway.stopAll())),
    post("chat/completions", (c, next) => {
      noteClient(c.var.record, c.env.incoming, playground);
      return throughRouter(chat)(c, next);
    }),
  ];
}
