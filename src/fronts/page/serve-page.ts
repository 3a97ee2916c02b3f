import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hono, MiddlewareHandler } from "hono";
import type { DoorAnswer } from "../../page/index.js";
import { GatewayError } from "../../turn/error.js";
import type { ServerEnv } from "../http/server-env.js";
import { refuseMethod, serveGet } from "../http/unserved-routes.js";
import type { PageFiles } from "./files.js";
import { API, type PageRoute } from "./page-route.js";
import { harden, serveAsset, serveIndex } from "./serve-files.js";
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
  readonly api: readonly PageRoute[];
}

/** The files of the page are for everybody. All but those who have opened it get one and the same answer from its API everywhere. */
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

const LOOK_EVERY_MS = 1_000;

type OpenAnswersDeps = Pick<PageDeps, "clock" | "isOpen">;

/** Cuts the answers that are still being written when their session ends: no stream may outlive the permission to read it. */
class OpenAnswers {
  readonly #deps: OpenAnswersDeps;
  readonly #answers = new Map<ServerResponse, IncomingMessage>();
  #stop: (() => void) | undefined;

  constructor(deps: OpenAnswersDeps) {
    this.#deps = deps;
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#answers.set(outgoing, incoming);
    outgoing.once("close", () => this.#drop(outgoing));
    this.#stop ??= this.#deps.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    for (const [outgoing, incoming] of this.#answers) {
      // An answer that waits for another on the same connection gets no event when the connection closes.
      if (incoming.socket.destroyed) this.#drop(outgoing);
      else if (!this.#deps.isOpen(incoming)) outgoing.destroy();
    }
  }

  #drop(outgoing: ServerResponse): void {
    this.#answers.delete(outgoing);
    if (this.#answers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}
