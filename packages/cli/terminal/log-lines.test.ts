import { describe, expect, it } from "vitest";
import { createLogLines } from "./log-lines.js";
import { howSoon } from "./moments.js";
import { createColors } from "./print.js";

const at = new Date(2026, 10, 16, 14, 3, 22);
/** Shows where a colour begins and ends. */
const marked = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
const plain = createColors(false);
const colors = { ...plain, red: marked("red"), yellow: marked("yellow"), green: marked("green") };

function shown(fields: object, { columns = 80, isColoured = false }: { columns?: number; isColoured?: boolean } = {}) {
  const lines = createLogLines({ colors: isColoured ? colors : plain, columns: () => columns });
  return lines(`${JSON.stringify({ level: "info", time: at.toISOString(), ...fields })}\n`);
}

const request = {
  route: "POST /v1/chat/completions",
  status: 200,
  requestId: "3f2a9c01-7f11-4a5e-9d5c-1f2e3d4c5b6a",
  outcome: "ok",
  client: "opencode",
  stream: true,
  model: "composer-2.5",
  inputTokens: 12_345,
  cachedTokens: 12_000,
  outputTokens: 850,
  continuity: "warm",
  firstByteMs: 412,
  totalMs: 1_234.56,
  msg: "request",
};

const failure = (status: number, error: string) => ({
  ...request,
  level: status < 500 ? "warn" : "error",
  status,
  outcome: "some_code",
  error,
  inputTokens: undefined,
  continuity: undefined,
});

describe("a request on a terminal", () => {
  it("without a model names its route, cut between its parts", () => {
    expect(shown({ ...failure(400, "No."), model: undefined })).toMatch(/ opencode +…\/completions +warning 400 /);
  });

  it("is one line with local time, client, model, tokens, duration, and whether it was warm", () => {
    expect(shown(request)).toBe("14:03:22  opencode  composer-2.5  12.3k in  97%  850 out   1.2 s  warm\n");
    expect(shown(request, { columns: 120 })).toBe(
      "14:03:22  opencode  composer-2.5  12.3k in   97% cached    850 out   1.2 s  warm  first 0.4 s  3f2a9c01\n",
    );
  });

  it("marks what the client has sent by itself", () => {
    const side = { ...request, continuity: "cold:new", side: "compaction" };
    const [line = "", ...others] = shown(side).trimEnd().split("\n");
    expect(line).toMatch(/ {2}\(compaction\)$/);
    expect(others).toEqual([]);
    expect(shown(side, { columns: 120 })).toContain("  cold: new (compaction)  ");
  });

  it("says why it was cold", () => {
    const cold = { ...request, continuity: "cold:settings-changed", cacheMiss: "tools", sentAgainTokens: 12_000 };
    expect(shown(cold, { isColoured: true })).toContain("<yellow>cold: tools changed</yellow>");
  });

  it("never gets wider than the terminal: what does not fit wraps", () => {
    const long = {
      ...request,
      client: "a-client-with-a-long-name/2",
      model: "claude-opus-4.8-thinking-high",
      continuity: "cold:edited",
    };
    const lines = shown(long).trimEnd().split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.join(" ")).toMatch(/ …\S*-thinking-high /);
    expect(lines.join(" ")).toContain("cold: edited");
  });

  it("shows its route if it asked for no model", () => {
    const nothing = { model: undefined, inputTokens: undefined, continuity: undefined };
    const listed = { ...request, route: "GET /v1/models", ...nothing };
    expect(shown(listed)).toMatch(/^14:03:22 {2}opencode {2}GET \/v1\/models +1\.2 s\n$/);
  });
});

describe("a failure on a terminal", () => {
  it.each([
    [404, "yellow", "warning 404"],
    [503, "red", "error 503"],
  ])("of status %i stands out by a colour and a word, with what to do", (status, color, words) => {
    const message = "The model composer-2.6 is not in your Cursor list. Did you mean composer-2.5? See: curlew models";
    const text = shown(failure(status, message), { isColoured: true });
    expect(text).toContain(`<${color}>${words}</${color}>`);
    const below = text.slice(text.indexOf("\n")).replace(/<\/?\w+>/g, " ");
    expect(below.replace(/\s+/g, " ").trim()).toBe(message);
  });

  it("after the reply has begun says so instead of the status", () => {
    expect(shown({ ...failure(502, "Cursor ended the stream."), status: 200 })).toContain("  error, cut off  ");
  });

  it("is not reported when the client left", () => {
    const text = shown({ ...request, status: 499, outcome: "client-left" }, { isColoured: true });
    expect(text).toContain("canceled by the client");
    expect(text).not.toMatch(/<(red|yellow)>/);
  });

  it("contains no control characters from foreign texts", () => {
    const evil = "evil\u001B[2J\u009B31m\u202Egnp\nnext";
    const text = shown({ ...failure(400, evil), client: evil, model: evil, requestId: evil });
    expect(text).toContain("evil");
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u);
  });
});

describe("another line on a terminal", () => {
  const retrying = { level: "warn", requestId: request.requestId, msg: "retrying a turn" };

  it.each([
    [
      { ...retrying, code: "overloaded", attempt: 1, delayMs: 1123.6979 },
      "14:03:22  warning  retrying a turn (overloaded, attempt 1, delay 1.1 s) 3f2a9c01\n",
    ],
    [
      { level: "warn", server: "files", reason: "it ended at once", msg: "MCP server failed" },
      "14:03:22  warning  MCP server failed: it ended at once (server files)\n",
    ],
    [{ path: "/usr/bin/x", msg: "Cursor CLI found" }, "14:03:22  Cursor CLI found (path /usr/bin/x)\n"],
  ])("is a sentence with rounded numbers: %j", (fields, text) => {
    expect(shown(fields)).toBe(text);
  });

  it("has the stack of a fault", () => {
    const err = { type: "TypeError", message: "x is not a function", stack: "TypeError: x\n    at run (file.js:1:2)" };
    expect(shown({ level: "error", err, msg: "request failed" })).toBe(
      "14:03:22  error  request failed: x is not a function\n          at run (file.js:1:2)\n",
    );
  });

  it("that is not the log's own is kept, without control characters", () => {
    const lines = createLogLines({ colors: plain, columns: () => 80 });
    expect(lines("curlew 1.0 listens\u001B[2J\n")).toBe("curlew 1.0 listens␛[2J\n");
  });
});

const now = Date.UTC(2026, 10, 16, 12);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("the end of a credential in words", () => {
  it.each([
    [90 * day, "in 90 days (2027-02-14)"],
    [2 * day, "in 2 days (2026-11-18)"],
    [47 * hour, "in 47 hours"],
    [119 * minute, "in 119 minutes"],
    [minute, "in 1 minute"],
    [59_000, "now"],
    [-59_000, "now"],
    [-3 * hour, "3 hours ago"],
    [-9 * day, "9 days ago (2026-11-07)"],
  ])("%d ms away is %s", (awayMs, text) => {
    expect(howSoon(now + awayMs, now)).toBe(text);
  });
});
