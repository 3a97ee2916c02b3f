import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNetwork } from "../../network/index.js";
import { judgeClock } from "./check-clock.js";
import { checkHttp2 } from "./check-http2.js";
import { checkNode, quoted } from "./check-machine.js";

describe("the version of Node", () => {
  it.each([
    ["v20.19.0", "ok"],
    ["v20.20.2", "ok"],
    ["v22.0.0", "ok"],
    ["v20.18.3", "fail"],
    ["v18.20.0", "fail"],
  ])("%s is %s", (version, status) => {
    expect(checkNode(version)).toMatchObject({ status, fix: status === "ok" ? null : "nvm install --lts" });
  });
});

describe("a clock", () => {
  it.each([
    [400, "ok", "Within 1 s of Cursor's."],
    [-20_000, "ok", "Within 20 s of Cursor's."],
    [60_000, "warn", "This machine's clock is 60 s behind Cursor's."],
    [-400_000, "fail", "This machine's clock is 400 s ahead of Cursor's."],
    [undefined, "skipped", "Cursor's answer has no date."],
  ])("that Cursor's is ahead of by %s ms: %s", (aheadMs, status, why) => {
    expect(judgeClock(aheadMs, "linux")).toMatchObject({ status, why });
  });

  it.each([
    ["linux", "sudo timedatectl set-ntp true"],
    ["darwin", "sudo sntp -sS time.apple.com"],
    ["win32", "w32tm /resync"],
  ] as const)("is set on %s by its own command", (platform, fix) => {
    expect(judgeClock(600_000, platform).fix).toBe(fix);
  });
});

describe("HTTP/2", () => {
  it("is missed where something else answers", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    expect(await checkHttp2(url, createNetwork())).toMatchObject({ status: "fail", fix: `curl -v --http2 ${url}` });
  });
});

describe("a path in a command", () => {
  it("is quoted only where a shell needs that", () => {
    expect(quoted("/home/me/.config/curlew")).toBe("/home/me/.config/curlew");
    expect(quoted("/Users/me/Application Support/it's")).toBe(`'/Users/me/Application Support/it'\\''s'`);
  });
});
