import { GatewayError } from "@curlew/gateway/turn/error.js";
import { describe, expect, it } from "vitest";
import { createLog } from "./log.js";

function capture(options: { level?: "info" | "debug" | "silent"; secrets?: string[] } = {}) {
  const lines: string[] = [];
  const log = createLog({
    level: options.level ?? "info",
    secrets: [undefined, ...(options.secrets ?? [])],
    stream: { write: (line) => lines.push(line) },
  });
  return { log, lines, last: (): unknown => JSON.parse(lines.at(-1) ?? "null") };
}

describe("a log line", () => {
  it("is one JSON object with level, time, fields and message", () => {
    const { log, last } = capture();
    log.info({ model: "auto", status: 200 }, "request done");
    expect(last()).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      model: "auto",
      status: 200,
      msg: "request done",
    });
  });

  it("is formatted after redaction", () => {
    const lines: string[] = [];
    const stream = { write: (line: string) => lines.push(line) };
    const log = createLog({ level: "info", secrets: ["hush-hush"], stream, format: (json) => `<${json.trim()}>` });
    log.warn({ note: "hush-hush" }, "seen");
    expect(lines).toEqual([expect.stringMatching(/^<\{.*"note":"\[redacted\]".*\}>$/)]);
  });

  it("below the level is not written", () => {
    const { log, lines } = capture({ level: "silent" });
    log.error({}, "lost");
    expect(lines).toEqual([]);
  });
});

describe("a log line never contains", () => {
  it.each([
    ["authorization", "Bearer abc"],
    ["Cookie", "WorkosCursorSessionToken=abc"],
    ["x-api-key", "abc"],
    ["apiKey", "abc"],
    ["accessToken", "abc"],
    ["refresh_token", "abc"],
    ["prompt", "abc"],
    ["messages", [{ role: "user", content: "abc" }]],
    ["content", [{ type: "text", text: "abc" }]],
    ["text", "abc"],
  ])("the value of %s, at any depth", (name, value) => {
    const { log, last } = capture();
    log.info({ [name]: value, request: { list: [{ [name]: value }] } }, "seen");
    expect(last()).toMatchObject({ [name]: "[redacted]", request: { list: [{ [name]: "[redacted]" }] } });
  });

  it.each([
    ["an API key", "crsr_0123456789abcdef"],
    ["an older key", "key_0123456789abcdef"],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"],
    ["a bearer value", "Bearer anything-at-all"],
  ])("%s, in a field, a message, an error or its cause", (_, secret) => {
    const { log, lines } = capture();
    log.info({ url: `/x?y=${secret}` }, `sent ${secret}`);
    log.error({ err: new Error(`no ${secret}`, { cause: new Error(secret) }) }, "failed");
    expect(lines).toHaveLength(2);
    expect(lines.join("")).toContain("[redacted]");
    expect(lines.join("")).not.toContain(secret);
  });

  it("a configured secret, whatever its form", () => {
    const secret = 'pass"word\\1';
    const { log, lines } = capture({ secrets: [secret] });
    log.info({ note: `<${secret}>` }, "seen");
    expect(lines[0]).toContain("<[redacted]>");
  });
});

describe("a log line contains", () => {
  it("token counts", () => {
    const { log, last } = capture();
    log.info({ inputTokens: 12, usage: { outputTokens: 3 } }, "done");
    expect(last()).toMatchObject({ inputTokens: 12, usage: { outputTokens: 3 } });
  });

  it("type, code, message and cause of an error, but none of its other properties", () => {
    const { log, last } = capture();
    const cause = Object.assign(new Error("ECONNRESET"), { request: { secret: "abc" } });
    log.error({ err: new GatewayError("timeout", "Too slow.", { cause }) }, "failed");
    expect(last()).toMatchObject({
      err: { type: "GatewayError", code: "timeout", message: "Too slow.", cause: { message: "ECONNRESET" } },
    });
    expect(JSON.stringify(last())).not.toContain("request");
  });

  it("placeholders for circular references and bytes", () => {
    const { log, last } = capture();
    const circle: Record<string, unknown> = { bytes: new Uint8Array(3) };
    circle.self = circle;
    log.info({ circle }, "seen");
    expect(last()).toMatchObject({ circle: { bytes: "[3 bytes]", self: "[...]" } });
  });
});
