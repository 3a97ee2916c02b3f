import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { runCurlew } from "../testing/programs/curlew-process.js";
import { curlewOnTerminal, hasScript } from "../testing/programs/on-terminal.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const program = fileURLToPath(new URL("../testing/programs/mcp-server.js", import.meta.url));
let folder = "";

beforeEach(() => {
  folder = temporaryFolder();
});

function settings(servers: Record<string, object>): string[] {
  const file = join(folder, "curlew.json");
  writeFileSync(file, JSON.stringify({ mcp: { servers } }));
  return ["--config", file];
}

const good = { command: process.execPath, args: [program], allow: ["echo"] };
const bad = { command: process.execPath, args: [program, "broken"] };

describe("curlew mcp", () => {
  it("lists the tools of every server, without a credential", async () => {
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

  it.skipIf(!hasScript)("on a terminal, shows a failed server while waiting for another", async () => {
    const missing = { command: "/nowhere/server" };
    const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const person = curlewOnTerminal(["mcp", ...settings({ missing, silent })], { NO_COLOR: "1" });
    const shown = await person.until("Waiting for 1 server");
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

  it("reports an unknown server", async () => {
    const unknown = await runCurlew(["mcp", "missing", ...settings({ one: good })]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no MCP server missing") });
  });
});
