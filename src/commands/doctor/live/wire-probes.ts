import type { ComposedGateway } from "../../../app/compose.js";
import { EnvelopeReader, encodeEnvelope } from "../../../backends/cursor/envelope.js";
import { toGatewayError } from "../../../backends/cursor/errors.js";
import { parseEndFrame, type UpstreamFailure } from "../../../backends/cursor/failure.js";
import { identityHeaders } from "../../../backends/cursor/identity.js";
import { ask, type HttpResponse } from "../../../network/index.js";
import { reasonOf } from "../finding.js";
import {
  asExpected,
  harmless,
  notShown,
  otherwise,
  type Probe,
  type ProbeBench,
  said,
  user,
  type Verdict,
} from "./lab.js";
import { expected, prompts } from "./probe-texts.js";
import { has } from "./talk-probes.js";

/** A stream that stays open longer than this behind `turn_ended` is reported. */
const PROMPT_END_MS = 2_000;

export const turnEnd: Probe = {
  claims: [{ name: "turn end", claim: "Cursor closes the stream soon after turn_ended" }],
  turns: 0,
  async *run({ watch }) {
    const finished = watch.runs.flatMap(({ turnEndedMs, endedMs, ending }) =>
      turnEndedMs === undefined || endedMs === undefined ? [] : [{ afterMs: endedMs - turnEndedMs, ending }],
    );
    if (finished.length === 0) return yield notShown("No run reached its turn_ended.");
    const slowest = Math.round(Math.max(...finished.map(({ afterMs }) => afterMs)));
    const others = finished.filter(({ ending }) => ending !== "end-frame");
    const how = [...new Set(others.map(({ ending }) => ending))].join(", ");
    if (others.length > 0) {
      yield harmless(
        `${others.length} of ${finished.length} streams had no orderly end (${how}). Curlew ended each at most ${slowest} ms later.`,
      );
    } else if (slowest > PROMPT_END_MS) yield harmless(`It took up to ${slowest} ms.`);
    else yield asExpected(`At most ${slowest} ms later, in ${finished.length} runs.`);
  },
};

export const unknownFields: Probe = {
  claims: [{ name: "unknown fields", claim: "Cursor sends nothing that this build does not know" }],
  turns: 0,
  async *run({ watch }) {
    if (watch.runs.length === 0) return yield notShown("Only the agent backend has runs.");
    if (watch.unknown.size === 0) return yield asExpected("Every field of every message is known.");
    const list = [...watch.unknown].map(([name, count]) => `${name} (${count} times)`).sort();
    yield harmless(`Message and field number: ${list.join(", ")}. Please report them.`);
  },
};

export const oldChat: Probe = {
  claims: [{ name: "old chat", claim: "The chat calls from before the agent protocol are retired" }],
  turns: 0,
  async *run({ composed }) {
    yield await probeOldChat(composed);
  },
};

export const restart: Probe = {
  claims: [{ name: "restart", claim: "A conversation goes on from its checkpoint after a restart" }],
  turns: 2,
  async *run({ withOther }) {
    const question = user(prompts.word);
    const first = await withOther({}, (lab) => lab.ask({ messages: [question] }));
    const messages = [question, said(first), user(prompts.again)];
    const { text, continuity } = await withOther({}, (lab) => lab.ask({ messages }));
    if (continuity !== "warm") yield otherwise(`The history was sent again (${continuity}).`, text);
    else if (!has(text, expected.word)) yield otherwise("The model does not remember the first turn.", text);
    else yield asExpected("Another gateway continued it, and nothing was sent again.", text);
  },
};

export const http2Run: Probe = overTransport("h2", { name: "http/2 run", claim: "A run goes over HTTP/2" });
export const http1Run: Probe = overTransport("h1", { name: "http/1.1 run", claim: "A run goes over HTTP/1.1" });

function overTransport(transport: "h1" | "h2", claim: Probe["claims"][number]): Probe {
  return {
    claims: [claim],
    turns: 1,
    async *run(bench) {
      yield await runOver(bench, transport);
    },
  };
}

/** One turn with this transport, unless a turn has gone over it already. */
async function runOver({ watch, withOther }: ProbeBench, transport: "h1" | "h2"): Promise<Verdict> {
  if (watch.runs.length === 0) return notShown("Only the agent backend has runs.");
  const http = transport === "h2" ? "2" : "1.1";
  const isSeen = () => watch.runs.some((run) => run.http === http && run.turnEndedMs !== undefined);
  if (isSeen()) return asExpected("Earlier turns went over it.");
  const { text } = await withOther({ transport }, (lab) => lab.ask({ messages: [user(prompts.word)] }));
  if (!isSeen()) return otherwise("The turn went over the other HTTP version.", text);
  return has(text, expected.word) ? asExpected("A turn went over it.", text) : otherwise("The answer is wrong.", text);
}

const METHOD = "/aiserver.v1.ChatService/StreamUnifiedChatWithTools";
const PATIENCE_MS = 3_000;
/** Not found, gone, and the load balancer's answer to a protocol that it does not take. */
const RETIRED: ReadonlySet<number> = new Set([404, 410, 464]);
/** Field 1, an empty chat. */
const EMPTY_CHAT = Uint8Array.of(0x0a, 0);

/** Sends the old chat call an empty request, which costs nothing. Since 2026 Cursor demands an update, or never answers. */
async function probeOldChat({
  tokens,
  upstream,
  network,
}: Pick<ComposedGateway, "tokens" | "upstream" | "network">): Promise<Verdict> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const token = await tokens.get(signal);
  const asked = ask(network, new URL(METHOD, upstream.backendUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/connect+proto",
      "connect-protocol-version": "1",
      ...identityHeaders({ version: upstream.clientVersion, ghostMode: true }),
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
}

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
