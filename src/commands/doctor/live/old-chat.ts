import type { ComposedGateway } from "../../../app/compose.js";
import { EnvelopeReader, encodeEnvelope } from "../../../backends/cursor/envelope.js";
import { toGatewayError } from "../../../backends/cursor/errors.js";
import { parseEndFrame, type UpstreamFailure } from "../../../backends/cursor/failure.js";
import { identityHeaders } from "../../../backends/cursor/identity.js";
import { ask, type HttpResponse } from "../../../network/index.js";
import { reasonOf } from "../finding.js";
import { asExpected, harmless, notShown, type Verdict } from "./probe.js";

const METHOD = "/aiserver.v1.ChatService/StreamUnifiedChatWithTools";
const PATIENCE_MS = 3_000;
/** Not found, gone, and the load balancer's answer to a protocol that it does not take. */
const RETIRED: ReadonlySet<number> = new Set([404, 410, 464]);
/** Field 1, an empty chat. */
const EMPTY_CHAT = Uint8Array.of(0x0a, 0);

/**
 * Sends the old chat call an empty request, which asks no model and costs nothing. Since 2026 Cursor answers it with a demand
 * to update, or never.
 */
export async function probeOldChat({
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

/** The failure in the stream, if the stream has nothing else. */
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
