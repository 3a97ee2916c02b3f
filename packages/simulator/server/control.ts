import type { Controls } from "./controls.js";
import { pathOf, readBody, type SimRequest, type SimResponse, sendJson } from "./node-http.js";
import { InvalidOption, parseOptions } from "./options.js";

const PREFIX = "/__sim/";
const MAX_BODY_BYTES = 1_048_576;
const SHOWN_BY_DEFAULT = "20";

export function isControl(request: SimRequest): boolean {
  return pathOf(request).startsWith(PREFIX);
}

export async function control(request: SimRequest, response: SimResponse, controls: Controls): Promise<void> {
  try {
    const body = await readBody(request, MAX_BODY_BYTES);
    const answer = answerTo(request, body.toString(), controls);
    if (answer === undefined)
      sendJson(response, 404, { error: `Unknown control route: ${request.method} ${pathOf(request)}` });
    else sendJson(response, 200, answer);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    sendJson(response, thrown instanceof InvalidOption ? 400 : 500, { error });
  }
}

function answerTo(request: SimRequest, body: string, controls: Controls): unknown {
  switch (`${request.method} ${pathOf(request).slice(PREFIX.length)}`) {
    case "GET config":
      return controls.options();
    case "POST config":
      controls.configure(parseOptions(parseJson(body)));
      return controls.options();
    case "GET stats":
      return controls.stats();
    case "POST reset":
      controls.reset();
      return controls.stats();
    case "GET requests":
      return controls.requests(lastOf(request));
    default:
      return undefined;
  }
}

function lastOf(request: SimRequest): number {
  const query = new URLSearchParams(request.url?.split("?")[1]);
  const last = query.get("last") ?? SHOWN_BY_DEFAULT;
  if (!/^\d{1,9}$/.test(last)) throw new InvalidOption(`"last" takes a whole number, not "${last}".`);
  return Number(last);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidOption("The body is not valid JSON.");
  }
}
