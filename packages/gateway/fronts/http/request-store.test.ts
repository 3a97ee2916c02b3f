import { describe, expect, it, vi } from "vitest";
import { askedServer } from "../../../../testing/gateway/asked-server.js";

const chat = { model: "auto", messages: [{ role: "user", content: "hi" }] };

async function countOpened(path: string, body: object): Promise<number> {
  const server = await askedServer();
  const textStore = vi.spyOn(server.gateway, "textStore");
  const response = await server.post(path, body);
  expect(response.status).toBe(200);
  await response.text();
  return textStore.mock.calls.length;
}

describe("the store of replies is opened", () => {
  it.each([
    ["/v1/chat/completions", chat],
    ["/v1/chat/completions", { ...chat, stream: true }],
    ["/v1/completions", { model: "auto", prompt: "hi" }],
    ["/v1/messages", { ...chat, max_tokens: 5 }],
    ["/v1/messages/count_tokens", chat],
    ["/v1/responses", { model: "auto", input: "hi", store: false }],
    ["/v1/responses", { model: "auto", input: "hi", store: false, stream: true }],
    ["/v1/responses/input_tokens", { model: "auto", input: "hi" }],
  ])("by no request to %s that does not use it: %j", async (path, body) => {
    expect(await countOpened(path, body)).toBe(0);
  });

  it.each([true, false])("once for a response that is stored (stream: %s)", async (stream) => {
    expect(await countOpened("/v1/responses", { model: "auto", input: "hi", stream })).toBe(1);
  });
});
