// The gateway in a process of its own, for a plugin whose runtime may not be Node. It reports its address, or what is wrong, in
// one line of JSON, and ends when the other end of its stdin is closed.

import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { startGateway } from "../index.js";

const left = new Promise((resolve) => process.stdin.resume().once("end", resolve).once("error", resolve));
process.stdout.on("error", () => {}); // the parent has gone

try {
  const gateway = await startGateway();
  process.stdout.write(`${JSON.stringify({ url: gateway.url })}\n`);
  await left;
  await gateway.close();
  process.exit(0);
} catch (thrown) {
  process.stdout.write(`${JSON.stringify({ error: reasonOf(thrown) })}\n`, () => process.exit(1));
}
