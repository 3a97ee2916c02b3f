import type { IncomingMessage } from "node:http";
import type { Hono, MiddlewareHandler } from "hono";
import type { DoorAnswer } from "../../page/index.js";
import { GatewayError } from "../../turn/error.js";
import { serveGet } from "../http/serve-get.js";
import type { ServerEnv } from "../http/server-env.js";
import { refuseMethod } from "../http/unserved-routes.js";
import type { PageFiles } from "./files.js";
import { harden } from "./headers.js";
import { OpenAnswers } from "./open-answers.js";
import { API, type PageRoute } from "./page-route.js";
import { serveAsset, serveIndex } from "./serve-files.js";
import { closeSession, openSession, type SessionDeps } from "./session.js";

export interface PageDeps extends SessionDeps {
  readonly isSimulated: boolean;
  readonly files: () => Promise<PageFiles | undefined>;
  /** What is said at `/` to those who are no browser. */
  readonly about: () => object;
  /** Refuses other pages. */
  readonly guardSite: MiddlewareHandler<ServerEnv>;
  /** Refuses those for whom the page is not open. */
  readonly guard: MiddlewareHandler<ServerEnv>;
  /** Whether the session of a request that passed the guard is still open. */
  readonly isOpen: (incoming: IncomingMessage) => boolean;
  /** What the views ask for. */
  readonly api: readonly PageRoute[];
}

/**
 * The page: its files are for everybody, since they say nothing; its API is for those who have opened it. To all others every address
 * of the API is the same, whether it exists or not.
 */
export function servePage(app: Hono<ServerEnv>, deps: PageDeps): void {
  const { door, keys, isSimulated, files, about, api, clock, isOpen } = deps;
  serveGet(app, "/", serveIndex(files, about));
  serveGet(app, "/assets/:name", serveAsset(files));

  const all = `${API}/*`;
  const session = `${API}/session`;
  app.use(all, asPageAnswer, deps.guardSite);
  serveGet(app, `${API}/door`, () => {
    const answer: DoorAnswer = { isSimulated, takesKey: keys.hasSingle };
    return Response.json(answer);
  });
  app.post(session, openSession(deps));

  const answers = new OpenAnswers({ clock, isOpen });
  app.use(all, deps.guard, (c, next) => {
    answers.add(c.env.incoming, c.env.outgoing);
    return next();
  });
  app.delete(session, closeSession(door));
  app.all(session, refuseMethod("POST, DELETE"));
  for (const { method, path, handler } of api) {
    if (method === "GET") serveGet(app, path, handler);
    else app.post(path, handler).all(path, refuseMethod("POST"));
  }
  app.all(all, () => {
    throw new GatewayError(
      "route_not_found",
      "The page asks for something that this gateway does not have. Load the page again.",
    );
  });
}

/** What the page asks again and again is not worth a line in the log, and nothing of it may be kept anywhere. */
const asPageAnswer: MiddlewareHandler<ServerEnv> = (c, next) => {
  c.set("isRoutine", c.req.method === "GET");
  harden(c.env.outgoing);
  c.env.outgoing.setHeader("cache-control", "no-store");
  return next();
};
