import type { IncomingHttpHeaders } from "node:http";
import type { Gateway } from "@curlew/gateway/core/index.js";
import { type Answer, jsonAnswer } from "@curlew/gateway/fronts/http/answer.js";
import { noteClient, REQUEST_ID } from "@curlew/gateway/fronts/http/request-log.js";
import type { ServeTurn } from "@curlew/gateway/fronts/http/route.js";
import { paramOf, queryOf, type Route, type Serve } from "@curlew/gateway/fronts/http/router.js";
import { askFor } from "@curlew/gateway/fronts/http/start-reply.js";
import { invalidField, type Query, readCount } from "@curlew/gateway/fronts/parts/query.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { parseQuestion, type UsageSource, writePlan } from "@curlew/meter/routes/index.js";
import { writeReport } from "@curlew/meter/usage/index.js";
import type { PlanAnswerBody, ProblemAnswer, UsageAnswer } from "../access/contract.js";
import { playground } from "../access/index.js";
import type { PageViews, RequestsQuestion } from "../views/index.js";
import { serveLive } from "./live.js";
import { API } from "./session.js";

interface ApiDeps {
  readonly views: PageViews;
  readonly usage: UsageSource;
  readonly gateway: Pick<Gateway, "stop">;
  readonly chat: ServeTurn;
  /** Aborted when the gateway stops. */
  readonly closing: AbortSignal | undefined;
}

export function pageApi({ views, usage, gateway, chat, closing }: ApiDeps): readonly Route[] {
  const routeTo =
    (method: Route["method"]) =>
    (path: string, serve: Serve): Route => ({ method, path: `${API}/${path}`, serve });
  const [get, post] = [routeTo("GET"), routeTo("POST")];
  return [
    get("now", async () => jsonAnswer(await views.now())),
    get("live", serveLive(views.feed, closing)),
    get("plan", async () => {
      const { plan, problem } = await usage.plan();
      const answer: PlanAnswerBody = { plan: writePlan(plan), problem };
      return jsonAnswer(answer);
    }),
    get("requests", async (request) => {
      const question = parseRequests((name) => queryOf(request, name));
      return jsonAnswer(await views.requests(question));
    }),
    get("requests/:id", async (request) => {
      const id = paramOf(request, "id");
      const answer = REQUEST_ID.test(id) ? await views.request(id) : undefined;
      if (answer === undefined) {
        throw new GatewayError("route_not_found", "The ledger does not have this request, or no longer.");
      }
      return jsonAnswer(answer);
    }),
    get("usage", async (request) => {
      const question = parseQuestion((name) => queryOf(request, name));
      const answer: UsageAnswer = writeReport(await usage.report(question));
      return jsonAnswer(answer);
    }),
    get("models", ({ incoming }) =>
      askFor(incoming, views.models).then((models) => jsonAnswer(models), writeModelProblem),
    ),
    get("clients", async ({ incoming }) =>
      jsonAnswer(await askFor(incoming, (signal) => views.clients(addressOf(incoming.headers), signal))),
    ),
    post("stop-all", () => jsonAnswer(gateway.stop())),
    post("chat/completions", (request) => {
      noteClient(request.record, request.incoming, playground);
      return chat(request);
    }),
  ];
}

/** The address by which the page was reached. A guard has checked the host; a proxy may terminate TLS. */
function addressOf({ host = "", "x-forwarded-proto": proxied }: IncomingHttpHeaders): string {
  return `${proxied === "https" ? "https" : "http"}://${host}`;
}

/** A login that Cursor refuses becomes a 502: the page would take its own status for the end of the page's session. */
function writeModelProblem(thrown: unknown): Answer {
  const { kind, message, code } = GatewayError.from(thrown);
  if (kind !== "authentication") throw thrown;
  const answer: ProblemAnswer = { error: { message, code } };
  return jsonAnswer(answer, {}, 502);
}

const USUAL_LIMIT = 50;
const MAX_LIMIT = 200;
/** The ledger cuts names at this length. */
const MAX_NAME_LENGTH = 200;

/** @throws {GatewayError} `invalid_request`, if the query is wrong. */
function parseRequests(query: Query): RequestsQuestion {
  const [client, model] = [nameIn(query, "client"), nameIn(query, "model")];
  const [failed, before] = [query("failed"), query("before")];
  if (failed !== undefined && failed !== "1") throw invalidField("failed", "must be 1, or left out");
  if (before !== undefined && !/^\d{13}[\da-z]{1,40}$/.test(before)) {
    throw invalidField("before", "must be the value of before in an earlier answer");
  }
  return {
    ...(client !== undefined && { client }),
    ...(model !== undefined && { model }),
    ...(failed === "1" && { isFailed: true }),
    ...(before !== undefined && { before }),
    limit: readCount(query, "limit", USUAL_LIMIT, MAX_LIMIT),
  };
}

function nameIn(query: Query, name: "client" | "model"): string | undefined {
  const text = query(name) || undefined;
  if (text !== undefined && text.length > MAX_NAME_LENGTH) {
    throw invalidField(name, `must be no longer than ${MAX_NAME_LENGTH} characters`);
  }
  return text;
}
