import { describe, expect, it } from "vitest";
import { commands } from "../packages/cli/commands/commands.js";
import { spawnCurlew } from "../testing/programs/curlew-process.js";

const env = { CURLEW_BACKEND: "simulator", PORT: "1", NO_OPEN_BROWSER: "1" }; // nothing listens on port 1

/** Each command, with the exit code and a line of the built program. All else is tested in the process of the tests. */
const runs: readonly (readonly [args: readonly string[], code: number, line: RegExp])[] = [
  [["login", "--api-key"], 2, /^curlew: An API key is one line without spaces\.$/m],
  [["setup", "claude", "--url", "http://127.0.0.1:1", "--dry-run"], 0, /^Nothing was written\.$/m],
  [["run", "env", "true"], 0, /^$/],
  [["ask", "[[say hello there]]"], 0, /^hello there$/m],
  [["service", "install", "--dry-run"], 0, /"serve"/],
  [["logout"], 0, /^Curlew had no stored credential\.$/m],
  [["status"], 0, /^gateway +none at http:\/\/127\.0\.0\.1:1$/m],
  [["models"], 0, /^auto +Auto/m],
  [["usage"], 0, /^used +31%$/m],
  [["logs"], 0, /^No requests yet\.$/m],
  [["dashboard"], 1, /^curlew: No gateway is running\./m],
  [["doctor"], 0, /^ok +settings +No settings file; 2 set/m],
  [["config", "show"], 0, /^backend +simulator +environment variable CURLEW_BACKEND$/m],
  [["limits"], 0, /^To set one: curlew limits set/m],
  [["keys", "add", "ci"], 0, /^curlew_[\w-]+$/m],
  [["mcp"], 0, /^There are no MCP servers\./m],
  [["stop"], 0, /^No gateway is running\.$/m],
  [["completion", "bash"], 0, /^_curlew\(\) \{$/m],
];

/** The commands that run until a signal ends them, with what they print first. */
const untilStopped: readonly (readonly [args: readonly string[], line: RegExp])[] = [
  [["serve", "--port", "0", "--json"], /^\{"url":"http:\/\/127\.0\.0\.1:\d+","backend":"simulator","pid":\d+\}$/m],
  [["simulate"], /^http:\/\/127\.0\.0\.1:\d+$/m],
];

describe("the built program", () => {
  it("is started with every command here", () => {
    const started = [...runs, ...untilStopped].map(([[name]]) => name);
    expect(started.toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
  });

  it.each(runs)("runs %j", async (args, code, line) => {
    const ended = await spawnCurlew(args, { env, stdin: "two words" }).finished;
    expect(ended).toMatchObject({ code });
    expect(ended.stdout + ended.stderr).toMatch(line);
  });

  it.each(untilStopped)("runs %j until SIGTERM", async (args, line) => {
    const running = spawnCurlew(args, { env });
    await running.printed("stdout", line);
    running.signal("SIGTERM");
    expect((await running.finished).code).toBe(0);
  });
});
