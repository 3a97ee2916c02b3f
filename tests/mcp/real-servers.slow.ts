import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ChatMessage, chat } from "../../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import { npmFolder } from "../../testing/programs/npm-folder.js";

// The reference servers from npm, unmodified.
const VERSION = "2026.8.31";
const NAMES = ["filesystem", "memory", "everything"] as const;

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

let system: WholeSystem;
let folder = "";

beforeAll(async () => {
  const installed = await npmFolder(
    "mcp-servers",
    NAMES.map((name) => `@modelcontextprotocol/server-${name}@${VERSION}`),
  );
  folder = realpathSync(mkdtempSync(join(tmpdir(), "curlew-mcp-files-")));
  writeFileSync(join(folder, "greeting.txt"), "Hello from a file.");
  const server = (name: (typeof NAMES)[number], args: string[], env = {}) => ({
    command: process.execPath,
    args: [programOf(installed, name), ...args],
    env,
  });
  const servers = {
    files: server("filesystem", [folder]),
    memory: server("memory", [], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
    everything: server("everything", []),
  };
  system = await startWholeSystem({}, { mcp: { servers } });
});

afterAll(async () => {
  await system?.close();
  rmSync(folder, { recursive: true, force: true });
});

function programOf(installed: string, name: string): string {
  const base = join(installed, "node_modules", "@modelcontextprotocol", `server-${name}`);
  const { bin } = JSON.parse(readFileSync(join(base, "package.json"), "utf8"));
  return join(base, String(Object.values(bin)[0]));
}

const call = (name: string, input: object) => `[[call mcp__${name} ${JSON.stringify(input)}]]`;

describe("reference servers from npm", () => {
  it("are all connected, with their tools", async () => {
    const response = await fetch(`${system.url}/v1/tools`);
    const { data, mcp } = (await response.json()) as { data: { id: string; server: string }[]; mcp: object };
    expect(mcp).toMatchObject({ servers: 3, tools: data.length });
    expect(new Set(data.map(({ server }) => server))).toEqual(new Set(["files", "memory", "everything"]));
    const ids = data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["mcp__files__read_text_file", "mcp__memory__create_entities"]));
    expect(ids).toContain("mcp__everything__echo");
  });

  it("work together in one run of a conversation that continues warm", async () => {
    const entity = { name: "Curlew", entityType: "bird", observations: ["has a long bill"] };
    const messages: ChatMessage[] = [
      {
        role: "user",
        content: [
          call("files__read_text_file", { path: join(folder, "greeting.txt") }),
          call("memory__create_entities", { entities: [entity] }),
          "then",
          call("files__write_file", { path: join(folder, "written.txt"), content: "by the model" }),
          "then",
          call("everything__echo", { message: "all three" }),
          "then [[say Done.]]",
        ].join(" "),
      },
    ];
    const first = await chat(system.url, messages);
    expect(first).toMatchObject({ finish: "stop", calls: [] });
    for (const said of ["Hello from a file.", "all three", "Done."]) expect(first.text).toContain(said);
    expect(readFileSync(join(folder, "written.txt"), "utf8")).toBe("by the model");
    expect(system.simulator.stats().runs).toBe(1);
    const search = call("memory__search_nodes", { query: "Curlew" });
    messages.push(first.message, { role: "user", content: `${search} then [[say Found.]]` });
    const second = await chat(system.url, messages);
    expect(second.continuity).toBe("warm");
    expect(second.text).toContain("long bill");
  });
});
