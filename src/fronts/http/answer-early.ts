import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../clock.js";
import type { Answer } from "./answer.js";

/** How long a client may go on sending what nobody reads. */
const LINGER_MS = 2_000;

/**
 * Answers a request whose body is not read to its end. Closing at once would reset the connection under a client that is
 * still sending, and the answer would be lost with it: so the answer goes out whole, the rest of the body is thrown away
 * for a while, and only then is the connection closed.
 */
export async function answerEarly(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  clock: Clock,
  { status, headers, text }: Answer,
): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  incoming.once("end", stop).once("close", stop);
  outgoing.on("error", stop);
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text), connection: "close" });
  outgoing.write(text);
  incoming.resume();
  await clock.sleep(LINGER_MS, over.signal);
  outgoing.end();
}
