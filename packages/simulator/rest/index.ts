import type { Logins } from "../auth/logins.js";
import type { Tokens } from "../auth/tokens.js";
import { BodyTooLarge, pathOf, readBody, type SimRequest, type SimResponse } from "../server/node-http.js";
import type { JournalEntry, World } from "../server/world.js";
import { accountRoutes } from "./account.js";
import { apiRoutes } from "./api.js";
import { exchangeRoutes, renewalRoutes } from "./exchange.js";
import { loginRoutes } from "./login.js";
import { type Answer, fitsPath, notFound, sendAnswer } from "./route.js";

const MAX_BODY_BYTES = 1_048_576;

export interface Rest {
  /** Answers every request, an unknown path with 404. */
  handle(request: SimRequest, response: SimResponse, entry: JournalEntry): Promise<void>;
}

export function createRest(world: World, tokens: Tokens, logins: Logins): Rest {
  const routes = [
    ...exchangeRoutes(world, tokens),
    ...loginRoutes(world, tokens, logins),
    ...renewalRoutes(world, tokens),
    ...apiRoutes(world),
    ...accountRoutes(world, tokens),
  ];

  const answerTo = async (request: SimRequest, entry: JournalEntry): Promise<Answer> => {
    const path = pathOf(request);
    const method = request.method ?? "GET";
    const bytes = await readBody(request, MAX_BODY_BYTES);
    const body = parseJson(bytes);
    if (bytes.length > 0) entry.messages.push(body ?? bytes.toString());
    const route = routes.find((each) => each.method === method && fitsPath(each.path, path));
    if (route === undefined) return notFound(method, path);
    if (bytes.length > 0 && body === undefined) return badRequest("Body is not valid JSON");
    const query = new URLSearchParams((request.url ?? "").split("?")[1]);
    const { authorization, cookie } = request.headers;
    return route.answer({ method, path, query, authorization, cookie, body });
  };

  return {
    async handle(request, response, entry) {
      try {
        sendAnswer(response, await answerTo(request, entry));
      } catch (thrown) {
        sendAnswer(response, thrown instanceof BodyTooLarge ? badRequest(thrown.message) : broken);
      }
    },
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const broken: Answer = { status: 500, json: { error: "Internal Server Error" } };

function badRequest(message: string): Answer {
  return { status: 400, json: { message, error: "Bad Request", statusCode: 400 } };
}
