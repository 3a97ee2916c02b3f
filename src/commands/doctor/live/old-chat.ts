import { gunzipSync } from "node:zlib";
import type { ComposedGateway } from "../../../app/compose.js";
import { toGatewayError } from "../../../backends/agent/errors.js";
import { parseEndFrame } from "../../../backends/agent/failure.js";
import { identityHeaders } from "../../../backends/agent/headers.js";
import { holds, unclear, type Verdict } from "./probe.js";

const METHOD = "/aiserver.v1.ChatService/StreamUnifiedChatWithTools";
const PATIENCE_MS = 3_000;
const HEAD_BYTES = 5;
/** A frame of two bytes: field 1, the chat, with nothing in it. */
const EMPTY_CHAT = Uint8Array.of(0, 0, 0, 0, 2, 0x0a, 0);
const COMPRESSED = 1;
const END = 2;

/**
 * Sends the old chat call an empty request, which asks no model and costs nothing. Since 2026 Cursor answers it with a demand to
 * update, or never.
 */
export async function probeOldChat({
  tokens,
  upstream,
  network,
}: Pick<ComposedGateway, "tokens" | "upstream" | "network">): Promise<Verdict> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const token = await tokens.get(signal);
  let answer: Buffer;
  try {
    const response = await network.fetch(new URL(METHOD, upstream.backendUrl), {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/connect+proto",
        "connect-protocol-version": "1",
        ...identityHeaders({ version: upstream.clientVersion, ghostMode: true }),
      },
      body: EMPTY_CHAT,
      redirect: "error",
      signal,
    });
    if (!response.ok) return holds(`They answer with HTTP status ${response.status}.`);
    answer = Buffer.from(await response.arrayBuffer());
  } catch {
    return holds("They take a request and never answer.");
  }
  const failure = endOf(answer);
  if (failure === undefined) return unclear("They answer again, with more than a demand to update. Please report it.");
  const { code } = toGatewayError(failure);
  const isRetired = code === "client_outdated" || code === "unsupported_region";
  return isRetired ? holds("They demand an update.") : unclear(`They answer again (${code}). Please report it.`);
}

/** The failure in the first frame, if that is the end of the stream. */
function endOf(answer: Buffer): ReturnType<typeof parseEndFrame> {
  const flags = answer[0] ?? 0;
  if ((flags & END) === 0 || answer.length < HEAD_BYTES) return undefined;
  const payload = answer.subarray(HEAD_BYTES, HEAD_BYTES + answer.readUInt32BE(1));
  return parseEndFrame((flags & COMPRESSED ? gunzipSync(payload) : payload).toString("utf8"));
}
