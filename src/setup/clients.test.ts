import { describe, expect, it } from "vitest";
import { clients, findClient } from "./clients.js";
import { plainObject } from "./merge.js";

const target = { url: "http://127.0.0.1:32124", model: "auto", contextTokens: 200_000, key: undefined };

describe("the clients", () => {
  it("have names and aliases of their own", () => {
    const names = clients.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.map((name) => findClient(name.toUpperCase())?.name)).not.toContain(undefined);
  });

  it("are pointed at another address by every value that names one", () => {
    for (const { file, notes, launch } of clients) {
      const other = { ...target, url: "http://gateway.test", model: "other-model", key: "other-key-of-the-gateway" };
      const context = { folder: "/tmp/x", env: {} };
      const all = JSON.stringify([file && plainObject(file.wanted(other)), notes(other), launch?.(other, context)]);
      expect(all).toContain("http://gateway.test");
      expect(all).toContain("other-model");
      expect(all).not.toMatch(/32124|"anything"|\/auto/);
    }
  });

  it("that keep to a window keep to the model's", () => {
    const sized = clients.filter(({ file, launch }) => {
      const other = { ...target, contextTokens: 272_001 };
      const texts = [file && plainObject(file.wanted(other)), launch?.(other, { folder: "/tmp/x", env: {} })];
      const known = texts.filter((text) => text !== undefined).map((text) => JSON.stringify(text));
      const counts = known.map((text) => text.includes("272001"));
      expect(new Set(counts).size).toBeLessThan(2); // the written settings and the launch agree
      return counts.includes(true);
    });
    expect(sized.map(({ name }) => name)).toEqual(expect.arrayContaining(["opencode", "claude", "pi", "omp", "zed"]));
  });

  it.each([
    ["as it is", 272_000, "272000"],
    ["not below what Claude Code takes", 32_000, "100000"],
    ["not above it", 2_000_000, "1000000"],
  ])("Claude Code compacts at the window, %s", (_, contextTokens, window) => {
    expect(plainObject(findClient("claude")?.file?.wanted({ ...target, contextTokens }) ?? {})).toMatchObject({
      env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextTokens), CLAUDE_CODE_AUTO_COMPACT_WINDOW: window },
    });
  });

  it("are looked for where their own variables say", () => {
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
