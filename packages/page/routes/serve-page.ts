import { jsonAnswer } from "@curlew/gateway/fronts/http/answer.js";
import type { Guard, Route, Router } from "@curlew/gateway/fronts/http/router.js";
import { Watch } from "@curlew/gateway/system/clock.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { DoorAnswer } from "../access/contract.js";
import { ownPage } from "./files.js";
import { guardPage, guardPageSite, isPageOpen } from "./guard.js";
import { harden, serveAsset, serveIndex } from "./serve-files.js";
import { API, closeSession, openSession, type SessionDeps } from "./session.js";

export interface PageDeps extends SessionDeps {
  readonly isSimulated: boolean;
  /** The answer at `/` for clients other than browsers. */
  readonly about: () => object;
  readonly api: readonly Route[];
}

/** The page's files are public. Without a session, all addresses of its API give the same answer, whether they exist or not. */
export function addPage(router: Router, deps: PageDeps): void {
  const { door, keys, isSimulated, about } = deps;
  router.add(
    [],
    [
      { method: "GET", path: "/", isRoutine: true, serve: serveIndex(ownPage, about) },
      { method: "GET", path: "/assets/:name", isRoutine: true, serve: serveAsset(ownPage) },
    ],
  );
  const session = `${API}/session`;
  const doorAnswer = (): DoorAnswer => ({ isSimulated, takesKey: keys.hasSingle });
  const atDoor: readonly Guard[] = [markAnswer, guardPageSite];
  const inside: readonly Guard[] = [...atDoor, guardPage(door.sessions), cutWhenClosed(deps)];
  router.add(atDoor, [
    { method: "GET", path: `${API}/door`, isRoutine: true, serve: () => jsonAnswer(doorAnswer()) },
    { method: "POST", path: session, serve: openSession(deps) },
  ]);
  // The page polls, so its reads are not logged.
  const api = deps.api.map((route) => ({ ...route, isRoutine: route.method === "GET" }));
  router.add(inside, [{ method: "DELETE", path: session, serve: closeSession(door) }, ...api]);
  router.addRest(`${API}/:rest{.*}`, { guards: inside, serve: refuseUnknown });
}

function refuseUnknown(): never {
  const text = "The page asks for something that this gateway does not have. Load the page again.";
  throw new GatewayError("route_not_found", text);
}

/** Answers to the page must not be cached anywhere. */
const markAnswer: Guard = (_, outgoing) => {
  harden(outgoing);
  outgoing.setHeader("cache-control", "no-store");
};

const LOOK_EVERY_MS = 1_000;

/** Cuts the answers that are still being written when their session ends: no stream may outlive the permission to read it. */
function cutWhenClosed({ clock, door }: Pick<PageDeps, "clock" | "door">): Guard {
  const answers = new Watch<() => void>(clock, LOOK_EVERY_MS, (look) => look());
  return (incoming, outgoing) => {
    const drop = answers.add(() => {
      // A pipelined answer that waits for another gets no event when the connection closes.
      if (incoming.socket.destroyed) drop();
      else if (!isPageOpen(door.sessions, incoming)) outgoing.destroy();
    });
    outgoing.once("close", drop);
  };
}
