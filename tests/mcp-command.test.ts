import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { emptyMachine, mainFile, runCurlew } from "../testing/programs/curlew-process.js";

/** The `script` of util-linux, which runs a command on a terminal of its own. */
const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

const program = fileURLToPath(new URL("../testing/programs/mcp-server.js", import.meta.url));
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "curlew-mcp-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function settings(servers: Record<string, object>): string[] {
  const file = join(folder, "curlew.json");
  writeFileSync(file, JSON.stringify({ mcp: { servers } }));
  return ["--config", file];
}

const good = { command: process.execPath, args: [program], allow: ["echo"] };
const bad = { command: process.execPath, args: [program, "broken"] };

describe("curlew mcp", () => {
  it("lists the tools of every server, without any credential", async () => {
    const { code, stdout } = await runCurlew(["mcp", ...settings({ one: good })]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["SERVER", "STATE", "TOOLS", "FROM", "PROBLEM"],
      ["one", "ok", "1", "curlew.json"],
      [""],
      ["TOOL", "SERVER", "ABOUT"],
      ["mcp__one__echo", "one", "The tool echo."],
      [""],
    ]);
    expect(code).toBe(0);
  });

  it("tests each server, and fails when one does not answer", async () => {
    const args = settings({ one: good, two: bad, three: { ...good, disabled: true } });
    const all = await runCurlew(["mcp", ...args]);
    expect(all.stdout).toMatch(/^one +ok +1 +curlew\.json$/m);
    expect(all.stdout).toMatch(/^two +failed +0 +curlew\.json +\S/m);
    expect(all.stdout).not.toContain("three");
    expect(all.code).toBe(1);
    expect((await runCurlew(["mcp", "one", ...args])).code).toBe(0);
  });

  it.skipIf(!hasScript)("shows on a terminal that a server failed while another one is still awaited", async () => {
    const missing = { command: "/nowhere/server" };
    const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const command = [process.execPath, mainFile, "mcp", ...settings({ missing, silent })].join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: { ...emptyMachine(), TERM: "xterm", NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let shown = "";
    for await (const chunk of child.stdout) {
      shown += chunk;
      if (shown.includes("Waiting for 1 server")) break;
    }
    expect(shown).toContain("Waiting for 2 servers");
    expect(shown).toMatch(/missing +failed +0 +curlew\.json +\S.*ENOENT/);
    expect(shown).not.toMatch(/^silent/m);
  });

  it("prints JSON", async () => {
    const { stdout } = await runCurlew(["mcp", "--json", ...settings({ one: good })]);
    expect(JSON.parse(stdout)).toMatchObject({
      tools: [{ id: "mcp__one__echo", name: "echo", server: "one", inputSchema: { type: "object" } }],
      servers: [{ name: "one", isConnected: true, tools: 1, origin: "curlew.json" }],
    });
  });

  it("says what is wrong with how it is called", async () => {
    const unknown = await runCurlew(["mcp", "nobody", ...settings({ one: good })]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no MCP server nobody") });
  });
});
