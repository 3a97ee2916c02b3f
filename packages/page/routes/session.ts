import { jsonAnswer } from "@curlew/gateway/fronts/http/answer.js";
import { readJson, requireJson } from "@curlew/gateway/fronts/http/body/read-body.js";
import type { RequestMemory } from "@curlew/gateway/fronts/http/request-memory.js";
import type { Serve } from "@curlew/gateway/fronts/http/router.js";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { KeyRing } from "@curlew/meter/keys/index.js";
import { z } from "zod";
import type { SessionAnswer, SessionQuestion } from "../access/contract.js";
import { type PageDoor, SESSION_SECONDS } from "../access/index.js";

/** The prefix of the page's API. */
export const API = "/admin/api";

/** Much longer than any link or key. */
const MAX_BODY_BYTES = 4 * 1024;

const Question: z.ZodType<SessionQuestion> = z.union([
  z.strictObject({ link: z.string() }),
  z.strictObject({ key: z.string() }),
]);

type PageKeys = Pick<KeyRing, "hasSingle" | "isSingle" | "find">;

interface WrongKeys {
  check(address: string, otherwise: string): void;
  countWrong(address: string, key: string): void;
}

export interface SessionDeps {
  readonly door: PageDoor;
  readonly keys: PageKeys;
  readonly attempts: WrongKeys;
  readonly clock: Clock;
  readonly memory: RequestMemory;
}

/** Opens a session for a link or the gateway's own key. */
export function openSession(deps: SessionDeps): Serve {
  const { door, keys, attempts, clock, memory } = deps;
  return async ({ incoming }) => {
    requireJson(incoming.headers);
    const hold = memory.hold();
    const { body } = await readJson(incoming, hold, { clock, bodyLimitBytes: MAX_BODY_BYTES, memory }).finally(() =>
      hold.release(),
    );
    const { data: question } = Question.safeParse(body);
    if (question === undefined) {
      throw new GatewayError("invalid_request", 'The body must be {"link": "..."} or {"key": "..."}.');
    }
    if ("link" in question) checkLink(question.link, door);
    else checkKey(question.key, keys, attempts, incoming.socket.remoteAddress ?? "");
    const { cookieName, cookie, proof } = door.sessions.open(incoming.headers.cookie);
    const isSecure = incoming.headers.origin?.startsWith("https:") === true;
    const answer: SessionAnswer = { proof };
    return jsonAnswer(answer, { "set-cookie": writeCookie(cookieName, cookie, SESSION_SECONDS, isSecure) });
  };
}

/** Signs out: the browser forgets the cookie, and the page its proof. */
export function closeSession({ sessions }: PageDoor): Serve {
  return () => {
    const name = sessions.cookieName ?? "";
    return { status: 204, headers: { "set-cookie": writeCookie(name, "", 0, false) }, body: "" };
  };
}

function checkLink(link: string, { links }: PageDoor): void {
  if (links.use(link)) return;
  const why = "This link was used already, has expired (after ten minutes), or belongs to another gateway.";
  throw new GatewayError("page_closed", `${why} For a new one, run: curlew dashboard`);
}

function checkKey(key: string, keys: PageKeys, attempts: WrongKeys, address: string): void {
  attempts.check(address, "open the page with: curlew dashboard");
  if (keys.isSingle(key)) return;
  attempts.countWrong(address, key);
  const [what, instead] = whyNot(key, keys);
  throw new GatewayError("invalid_gateway_key", `${what} ${instead}`);
}

function whyNot(key: string, keys: PageKeys): [what: string, instead: string] {
  const dashboard = "Run curlew dashboard where the gateway runs.";
  if (keys.find(key)?.name !== undefined) {
    return ["This key was made by curlew keys. Such keys are for clients and do not open the page.", dashboard];
  }
  if (!keys.hasSingle) return ["This gateway has no key that opens the page.", dashboard];
  return ["This is not the gateway's key.", `It is in the gateway's setting key (CURLEW_KEY). Or: ${dashboard}`];
}

/** The cookie goes to the API only, is hidden from scripts, and is not sent with cross-site requests. */
function writeCookie(name: string, value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = [`Path=${API}`, `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Strict"];
  return [`${name}=${value}`, ...attributes, ...(isSecure ? ["Secure"] : [])].join("; ");
}
