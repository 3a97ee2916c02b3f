import { EnvelopeReader, encodeEnvelope } from "@curlew/gateway/backends/cursor/envelope.js";
import { toGatewayError } from "@curlew/gateway/backends/cursor/errors.js";
import { parseEndFrame, type UpstreamFailure } from "@curlew/gateway/backends/cursor/failure.js";
import { identityHeaders } from "@curlew/gateway/backends/cursor/identity.js";
import { ask, type HttpResponse } from "@curlew/gateway/network/index.js";
import { reasonOf } from "../finding.js";
import {
  asExpected,
  byWord,
  harmless,
  notShown,
  otherwise,
  type ProbeBench,
  probe,
  said,
  user,
  type Verdict,
} from "./lab.js";
import { expected, prompts } from "./probe-texts.js";

/** A stream that stays open longer than this after `turn_ended` is reported. */
const PROMPT_END_MS = 2_000;

export const turnEnd = probe("turn end", "Cursor closes the stream soon after turn_ended", 0, ({ watch }) => {
  const finished = watch.runs.flatMap(({ turnEndedMs, endedMs, ending }) =>
    turnEndedMs === undefined || endedMs === undefined ? [] : [{ afterMs: endedMs - turnEndedMs, ending }],
  );
  if (finished.length === 0) return notShown("No run reached its turn_ended.");
  const slowest = Math.round(Math.max(...finished.map(({ afterMs }) => afterMs)));
  const others = finished.filter(({ ending }) => ending !== "end-frame");
  if (others.length > 0) {
    const how = [...new Set(others.map(({ ending }) => ending))].join(", ");
    const which = `${others.length} of ${finished.length} streams had no orderly end (${how}).`;
    return harmless(`${which} Curlew ended each at most ${slowest} ms later.`);
  }
  if (slowest > PROMPT_END_MS) return harmless(`It took up to ${slowest} ms.`);
  return asExpected(`At most ${slowest} ms later, in ${finished.length} runs.`);
});

const knownFields = "Cursor sends nothing that this build does not know";

export const unknownFields = probe("unknown fields", knownFields, 0, ({ watch }) => {
  if (watch.runs.length === 0) return notShown("Only the agent backend has runs.");
  if (watch.unknown.size === 0) return asExpected("Every field of every message is known.");
  const list = [...watch.unknown].map(([name, count]) => `${name} (${count} times)`).sort();
  return harmless(`Message and field number: ${list.join(", ")}. Please report them.`);
});

const goesOn = "A conversation continues from its checkpoint after a restart";

export const restart = probe("restart", goesOn, 2, async ({ withOther }) => {
  const question = user(prompts.word);
  const first = await withOther({}, (lab) => lab.ask({ messages: [question] }));
  const messages = [question, said(first), user(prompts.again)];
  const { text, continuity } = await withOther({}, (lab) => lab.ask({ messages }));
  if (continuity !== "warm") return otherwise(`The history was sent again (${continuity}).`, text);
  const continued = "Another gateway continued it, and nothing was sent again.";
  return byWord(text, expected.word, continued, "The model does not remember the first turn.");
});

export const http2Run = probe("http/2 run", "A run works over HTTP/2", 1, (bench) => runOver(bench, "h2"));
export const http1Run = probe("http/1.1 run", "A run works over HTTP/1.1", 1, (bench) => runOver(bench, "h1"));

/** One turn over this transport, unless an earlier turn used it. */
async function runOver({ watch, withOther }: ProbeBench, transport: "h1" | "h2"): Promise<Verdict> {
  if (watch.runs.length === 0) return notShown("Only the agent backend has runs.");
  const http = transport === "h2" ? "2" : "1.1";
  const isSeen = () => watch.runs.some((run) => run.http === http && run.turnEndedMs !== undefined);
  if (isSeen()) return asExpected("Earlier turns used it.");
  const { text } = await withOther({ transport }, (lab) => lab.ask({ messages: [user(prompts.word)] }));
  if (!isSeen()) return otherwise("The turn used the other HTTP version.", text);
  return byWord(text, expected.word, "A turn used it.", "The answer is wrong.");
}

const METHOD = "/aiserver.v1.ChatService/StreamUnifiedChatWithTools";
const PATIENCE_MS = 3_000;
/** Not found, gone, and the load balancer's answer to a protocol it does not accept. */
const RETIRED: ReadonlySet<number> = new Set([404, 410, 464]);
/** Field 1, an empty chat. */
const EMPTY_CHAT = Uint8Array.of(0x0a, 0);

const retired = "The chat calls from before the agent protocol are retired";

/** Sends the old chat call an empty request, which costs nothing. Since 2026 Cursor demands an update, or never answers. */
export const oldChat = probe("old chat", retired, 0, async ({ composed: { tokens, upstream, network } }) => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const token = await tokens.get(signal);
  const asked = ask(network, new URL(METHOD, upstream.backendUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/connect+proto",
      "connect-protocol-version": "1",
      ...identityHeaders({ version: upstream.client.version, ghostMode: true }),
    },
    body: Uint8Array.from(encodeEnvelope(EMPTY_CHAT)),
    signal,
  });
  let response: HttpResponse;
  try {
    response = await asked;
  } catch (thrown) {
    return signal.aborted ? asExpected("They take a request and never answer.") : notShown(reasonOf(thrown));
  }
  const { status } = response;
  if (RETIRED.has(status)) return asExpected(`They answer with HTTP status ${status}.`);
  if (status !== 200) return notShown(`They answer with HTTP status ${status}, which may have another cause.`);
  const failure = endOf(response.body);
  if (failure === undefined) return harmless("They answer again, with more than a demand to update. Please report it.");
  const { code } = toGatewayError(failure);
  const isRetired = code === "client_outdated" || code === "unsupported_region";
  return isRetired ? asExpected("They demand an update.") : harmless(`They answer again (${code}). Please report it.`);
});

function endOf(response: Buffer): UpstreamFailure | undefined {
  let failure: UpstreamFailure | undefined;
  let hasSpoken = false;
  const reader = new EnvelopeReader({
    message() {
      hasSpoken = true;
    },
    end(json) {
      failure = parseEndFrame(json);
    },
  });
  try {
    reader.push(response);
  } catch {
    return undefined; // not a stream of frames
  }
  return hasSpoken ? undefined : failure;
}
