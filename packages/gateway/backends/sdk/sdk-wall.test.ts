import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Runs apart, because the wall closes the whole process. The second turn begins its request in the moment in which the first one ends. */
const program = `
import { once } from "node:events";
import http2 from "node:http2";
import { text } from "node:stream/consumers";
import { raiseWall, runTurn } from ${JSON.stringify(new URL("sdk-wall.js", import.meta.url).href)};

const server = http2.createServer((_, response) => response.end("answered")).listen(0, "127.0.0.1");
await once(server, "listening");
const host = "127.0.0.1:" + server.address().port;
raiseWall({ readable: [], writable: [], hosts: [host] });
let session;
let end;
const ask = () => text(session.request({ ":path": "/" }));
const first = runTurn(".", async () => {
  session = http2.connect("http://" + host);
  await ask();
  await new Promise((resolve) => (end = resolve));
});
while (end === undefined) await new Promise(setImmediate);
const second = runTurn(".", async () => {
  end();
  process.stdout.write(await ask());
});
await Promise.all([first, second]);
process.stdout.write(session.closed ? ", closed" : ", open");
server.close();
`;

it("a connection that two turns share is closed when both have ended", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  expect(stdout).toBe("answered, closed");
});
