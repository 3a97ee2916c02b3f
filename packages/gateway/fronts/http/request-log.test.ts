import { expect, it } from "vitest";
import { GatewayError } from "../../turn/error.js";
import { RequestRecord } from "../../turn/events/channels.js";
import { productOf, writeLine } from "./request-log.js";

function logged(status: number, changes: Partial<RequestRecord>) {
  const lines: object[] = [];
  const write = (level: string) => (fields: object, message: string) => lines.push({ level, ...fields, message });
  const log = { info: write("info"), warn: write("warn"), error: write("error") };
  const record = { ...new RequestRecord("gateway", "an-id", 1_000), ...changes };
  writeLine(log, { route: "POST /v1/messages", status, record, endedMs: 1_500 });
  return lines;
}

const failed = (error: GatewayError) => ({ error, outcome: error.code });
const refused = new GatewayError("model_not_found", "Unknown model. See: curlew models");
const down = new GatewayError("upstream_unreachable", "Cursor cannot be reached. Check the network.");

it.each([
  ["info", "a reply", 200, {}],
  ["warn", "a refusal", 404, failed(refused)],
  ["error", "an outage", 502, failed(down)],
  ["error", "an outage after the reply has begun", 200, failed(down)],
  ["warn", "a refusal after the reply has begun", 200, failed(refused)],
  ["info", "a client that left", 499, { outcome: "client-left" }],
  ["info", "a reply that its client canceled", 200, failed(new GatewayError("canceled", "Canceled."))],
] as const)("writes on the level %s about %s", (level, _, status, changes) => {
  expect(logged(status, changes)).toMatchObject([{ level, status, totalMs: 500, message: "request" }]);
});

it("says why a request failed, in words", () => {
  expect(logged(404, failed(refused))).toMatchObject([{ outcome: "model_not_found", error: refused.message }]);
});

it("also logs the cause of internal errors", () => {
  const fault = new TypeError("x is not a function");
  expect(logged(500, failed(GatewayError.from(fault)))).toMatchObject([
    { level: "error", requestId: "an-id", err: fault, message: "request failed" },
    { level: "error", outcome: "server_error", message: "request" },
  ]);
});

it.each([
  ["claude-cli/2.1.0 (external, cli)", "claude-cli/2.1.0"],
  ["OpenAI/JS 6.1.0", "OpenAI/JS"],
  ["curl/8.5.0", "curl/8.5.0"],
  [undefined, ""],
  ["\u001b[31mred", ""],
  ["x".repeat(61), ""],
])("%j is the client %j", (userAgent, client) => {
  expect(productOf(userAgent)).toBe(client);
});
