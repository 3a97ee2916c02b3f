import { call } from "../../api/call.js";
import { Problem } from "../../api/problem.js";
import { eventsOf } from "../../api/sse.js";
import type { Reply } from "./reply.js";

/** After so much of a stream the browser may draw and react, even if more has already come. */
const CHARS_AT_ONCE = 30_000;

/** Asks the gateway. `send` posts the request. */
export async function ask(reply: Reply, signal: AbortSignal, send = call): Promise<void> {
  try {
    const answer = await send("chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reply.body),
      signal,
    });
    reply.begin(answer.headers);
    let chars = 0;
    for await (const { data } of eventsOf(answer)) {
      if (signal.aborted) break;
      reply.take(data);
      chars += data.length;
      if (chars < CHARS_AT_ONCE) continue;
      chars = 0;
      await nextTask();
    }
    if (signal.aborted) reply.stop();
    else reply.end();
  } catch (thrown) {
    if (signal.aborted) reply.stop();
    else if (thrown instanceof Problem) reply.fail(thrown);
    else reply.end();
  }
}

/** Unlike a timer, a message is not slowed down in a page that nobody looks at. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
