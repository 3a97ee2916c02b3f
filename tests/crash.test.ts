import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { ProcessSystem } from "../testing/programs/process-system.js";
import { startedEach } from "../testing/started.js";
import { rowsOnDisk } from "../testing/store/on-disk.js";

const system = startedEach(() => ProcessSystem.start());

const tools = [tool("weather", { city: { type: "string" } }), tool("time")];

describe("a gateway that is killed", () => {
  it("between a tool call and its result completes the turn after the restart, and is warm in the next", async () => {
    const messages = [
      user('[[say Let me look.]] [[call weather {"city":"Kiel"}]] [[call time {}]] then [[say All done.]]'),
    ];
    const first = await chat(system.gateway.url, messages, { tools });
    expect(first.calls).toHaveLength(2);
    await system.gateway.kill();
    await system.startAgain();
    messages.push(first.message, result(first.calls[0], "rain"), result(first.calls[1], "noon"));
    const second = await chat(system.gateway.url, messages, { tools });
    expect(second).toMatchObject({ continuity: "resumed", finish: "stop", calls: [] });
    expect(second.text).toContain("All done.");
    expect(system.simulator.stats()).toMatchObject({ conversations: 2, runs: 2, resumes: 1, execsAbandoned: 2 });
    messages.push(second.message, user("[[say Next.]]"));
    expect(await chat(system.gateway.url, messages, { tools })).toMatchObject({ continuity: "warm", text: "Next." });
  });

  it("between two user turns is warm in the second", async () => {
    const messages = [user("[[say One.]]")];
    const first = await chat(system.gateway.url, messages, { tools });
    // The answer is sent before it is on disk.
    await expect.poll(() => rowsOnDisk(system.home), { interval: 100 }).toBeGreaterThan(0);
    await system.gateway.kill();
    await system.startAgain();
    messages.push(first.message, user("[[say Two.]]"));
    expect(await chat(system.gateway.url, messages, { tools })).toMatchObject({ continuity: "warm", text: "Two." });
  });
});

describe("an MCP server that ignores the end of its input", () => {
  const server = fileURLToPath(new URL("../testing/programs/mcp-server.js", import.meta.url));
  /** Whether a process is alive. Ignores zombies: in a container there may be no parent that reaps them. */
  const isAlive = (pid: number) => /^[^Z]/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)]).stdout.toString());

  it.skipIf(process.platform === "win32")("ends with a gateway that is killed", async () => {
    const test = { command: process.execPath, args: [server, "stubborn"] };
    writeFileSync(join(system.home, "curlew.json"), JSON.stringify({ mcp: { servers: { test } } }));
    await system.gateway.kill();
    await system.startAgain();
    const { text } = await chat(system.gateway.url, [user("[[call mcp__test__pid {}]] then [[say Done.]]")]);
    const pid = Number(/\b\d{2,}\b/.exec(text)?.[0]);
    expect(isAlive(pid)).toBe(true);
    await system.gateway.kill();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
