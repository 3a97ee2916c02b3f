import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { readChat } from "./chat-stream.js";

it("repeats Cursor's words on a retired call without the credential that they may hold", async () => {
  const message = "Update required for crsr_0123456789abcdef";
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: "permission_denied", message }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const chat = readChat({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`),
    headers: {},
    message: new Uint8Array(),
    agent: new Agent(),
    signal: new AbortController().signal,
    onMessage() {},
    onChunk: async () => {},
  });
  await expect(chat).rejects.toMatchObject({
    code: "client_outdated",
    message: expect.stringContaining("(it says: Update required for [redacted])"),
  });
  server.closeAllConnections();
  server.close();
});
