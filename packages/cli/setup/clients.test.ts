import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { assumedModel, type Client, type Target, targetOf } from "./client.js";
import { codex } from "./clients/codex.js";
import { clients, findClient } from "./clients.js";
import { editedText } from "./edited-text.js";
import { plainObject } from "./merge.js";

const address = { url: "http://127.0.0.1:32124", key: undefined };
const context = { folder: "/tmp/x", env: {} };
/** Everything that a client gets from us. */
const saidTo = ({ file, notes, launch }: Client, target: Target) =>
  JSON.stringify([file && plainObject(file.wanted(target)), notes(target), launch?.(target, context)]);
const sized = (contextTokens: number) => targetOf(address, { ...assumedModel("auto"), contextTokens });

describe("the clients", () => {
  it("have unique names and aliases", () => {
    const names = clients.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.map((name) => findClient(name.toUpperCase())?.name)).not.toContain(undefined);
  });

  it("are pointed at another address by every value that names one", () => {
    for (const client of clients) {
      const elsewhere = { url: "http://gateway.test", key: "other-key-of-the-gateway" };
      const all = saidTo(client, targetOf(elsewhere, assumedModel("other-model")));
      expect(all).toContain("http://gateway.test");
      expect(all).toContain("other-model");
      expect(all).not.toMatch(/32124|"anything"|\/auto/);
    }
  });

  it("identify themselves to a gateway that requires no key", () => {
    for (const client of clients) {
      const said = saidTo(client, targetOf(address, assumedModel("auto")));
      const labels = said.match(/\bcurlew-(?!auto\b)[a-z-]+/g) ?? [];
      expect([...new Set(labels)]).toEqual(client.name === "codex" ? [] : [`curlew-${client.name}`]);
    }
  });

  it("with a context window use the model's", () => {
    const found = clients.filter(({ file, launch }) => {
      const other = sized(272_001);
      const texts = [file && plainObject(file.wanted(other)), launch?.(other, context)];
      const known = texts.filter((text) => text !== undefined).map((text) => JSON.stringify(text));
      const counts = known.map((text) => text.includes("272001"));
      expect(new Set(counts).size).toBeLessThan(2); // the written settings and the launch agree
      return counts.includes(true);
    });
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(["opencode", "claude", "pi", "omp", "zed"]));
  });

  it.each([
    ["as it is", 272_000, "272000"],
    ["not below what Claude Code takes", 32_000, "100000"],
    ["not above it", 2_000_000, "1000000"],
  ])("Claude Code compacts at the window, %s", (_, contextTokens, window) => {
    expect(plainObject(findClient("claude")?.file?.wanted(sized(contextTokens)) ?? {})).toMatchObject({
      env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextTokens), CLAUDE_CODE_AUTO_COMPACT_WINDOW: window },
    });
  });

  it("Codex is started with the list that its program allows, in the temporary folder", () => {
    const program = join(temporaryFolder(), "codex");
    const listed = JSON.stringify({ models: [{ base_instructions: "Call tools." }] });
    writeFileSync(program, `#!/bin/sh\n[ -e "$CODEX_HOME" ] || echo '${listed}'\n`, { mode: 0o755 });
    const { args, files } = codex.asInstalled?.(program, {}).launch?.(sized(200_001), context) ?? {};
    expect(args).toContain('model_catalog_json="/tmp/x/curlew-models.json"');
    expect(args?.join()).not.toContain("model_context_window");
    expect(JSON.parse(files?.["curlew-models.json"] ?? "")).toMatchObject({
      models: [{ slug: "auto", context_window: 200_001, base_instructions: "Call tools." }],
    });
  });

  it("list all models of the account if they have such a list, and start with the chosen one", () => {
    const models = ["auto", "one-9", "two-9"].map((id) => ({ ...assumedModel(id), name: `The ${id}` }));
    const target = targetOf(address, assumedModel("two-9"), { models, smallModel: "one-9" });
    const texts = new Map(
      clients.map(({ name, file }) => [name, JSON.stringify(file && plainObject(file.wanted(target)))]),
    );
    const listing = ["opencode", "continue", "pi", "omp", "droid", "zed", "litellm", "cliproxyapi"];
    for (const name of listing) for (const { id } of models) expect(texts.get(name)).toContain(`${id}"`);
    expect(plainObject(findClient("opencode")?.file?.wanted(target) ?? {})).toMatchObject({
      provider: { curlew: { models: { "one-9": { name: "The one-9" } } } },
      model: "curlew/two-9",
      small_model: "curlew/one-9",
    });
    expect(texts.get("claude")).toMatch(/"ANTHROPIC_MODEL":"two-9".*"ANTHROPIC_DEFAULT_HAIKU_MODEL":"one-9"/);
  });

  it("drop models that the account no longer has, if the list is ours alone", () => {
    const { file } = findClient("opencode") ?? {};
    if (file === undefined) throw new Error("OpenCode has no file");
    const models = ["auto", "old-1"].map(assumedModel);
    const before = editedText("", file.format, file.wanted(targetOf(address, assumedModel("auto"), { models })));
    const after = editedText(before, file.format, file.wanted(targetOf(address, assumedModel("auto"))));
    expect([before.includes("old-1"), after.includes("old-1")]).toEqual([true, false]);
  });

  it("say how they are installed, if they are programs", () => {
    for (const { command, install, name } of clients) {
      if (command !== undefined) expect(install, name).toMatch(/^(https:\/\/\S+|\w+ .*)$/);
    }
  });

  it("are looked for where their own variables point", () => {
    const folders = {
      opencode: "XDG_CONFIG_HOME",
      codex: "CODEX_HOME",
      claude: "CLAUDE_CONFIG_DIR",
      continue: "CONTINUE_GLOBAL_DIR",
      cline: "CLINE_DATA_DIR",
      pi: "PI_CODING_AGENT_DIR",
    };
    for (const [name, variable] of Object.entries(folders)) {
      const env = { [variable]: "/elsewhere" };
      expect(findClient(name)?.file?.paths({ env, platform: "linux", homeDirectory: "/home" })[0]).toMatch(
        /^\/elsewhere/,
      );
    }
  });
});
