import { expect, it } from "vitest";
import { runHeaders } from "./headers.js";

const facts = {
  token: "secret",
  requestId: "this attempt",
  originalRequestId: "first attempt",
};
const identity = { version: "cli-2026.10.01-e373342", ghostMode: true };

it("sends what Cursor's own SDK sends with a run, besides the limit on tools", () => {
  const { "x-cursor-agent-exclude-tools": excluded, ...headers } = runHeaders({ ...facts, hasTools: false }, identity);
  expect(headers).toEqual({
    authorization: "Bearer secret",
    "backend-traceparent": "00-00000000000000000000000000000000-0000000000000000-00",
    "connect-accept-encoding": "identity",
    "connect-protocol-version": "1",
    "content-type": "application/connect+proto",
    traceparent: "00-00000000000000000000000000000000-0000000000000000-00",
    "user-agent": "connect-es/1.7.0",
    "x-cursor-client-type": "cli",
    "x-cursor-client-version": "cli-2026.10.01-e373342",
    "x-ghost-mode": "true",
    "x-original-request-id": "first attempt",
    "x-request-id": "this attempt",
  });
  expect(excluded).toMatch(/^shell_tool_call,.*,mcp_tool_call,/);
});

it("allows the client's own tools alone where there are any", () => {
  const headers = runHeaders({ ...facts, hasTools: true }, identity);
  expect(headers["x-cursor-agent-allowed-tools"]).toBe("mcp_tool_call,get_mcp_tools_tool_call");
  expect(headers).not.toHaveProperty("x-cursor-agent-exclude-tools");
});

it("names the client type that its version belongs to", () => {
  const headers = runHeaders({ ...facts, hasTools: false }, { version: "sdk-1.0.32", ghostMode: false });
  expect(headers).toMatchObject({ "x-cursor-client-type": "sdk", "x-ghost-mode": "false" });
});
