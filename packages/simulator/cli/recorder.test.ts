import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { createRecorder } from "./recorder.js";

it("records calls and messages without their secrets", () => {
  const folder = temporaryFolder();
  const file = join(folder, "calls.jsonl");
  const recorder = createRecorder(file, 42);
  recorder.call({
    argv: [
      "--api-key",
      "hush1",
      "--auth-token=hush2",
      "-H",
      "Authorization: Bearer hush3",
      "-H",
      "x-allowed: mcp",
      "--header=Cookie: hush8",
      "--model",
      "auto",
      "-p",
    ],
    env: { CURSOR_API_KEY: "hush4", HOME: "/home/x", OTHER: "hush5" },
    cwd: "/ws",
    stdin: "héllo key_hush6",
  });
  const headers = [{ name: "Authorization", value: "Bearer hush7" }];
  recorder.message({ method: "session/new", params: { mcpServers: [{ name: "gw", url: "http://x", headers }] } });

  const text = readFileSync(file, "utf8");
  expect(text).not.toContain("hush");
  const [call, message] = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(call).toEqual({
    pid: 42,
    argv: [
      "--api-key",
      "***",
      "--auth-token=***",
      "-H",
      "Authorization: ***",
      "-H",
      "x-allowed: mcp",
      "--header=Cookie: ***",
      "--model",
      "auto",
      "-p",
    ],
    cwd: "/ws",
    env: { CURSOR_API_KEY: "***", HOME: "/home/x" },
    envNames: ["CURSOR_API_KEY", "HOME", "OTHER"],
    stdin: "héllo key_***",
    stdinBytes: 16,
  });
  expect(message).toMatchObject({ message: { params: { mcpServers: [{ name: "gw", url: "http://x" }] } } });
});
