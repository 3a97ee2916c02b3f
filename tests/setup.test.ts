import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { clients } from "../src/setup/clients.js";
import { json } from "../src/setup/formats/json.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { mainFile, runCurlew } from "../testing/programs/curlew-process.js";
import { curlewOnTerminal, hasScript, keys } from "../testing/programs/on-terminal.js";

const KEY = "a-key-of-the-gateway$1";

function temporaryHome() {
  const home = mkdtempSync(join(tmpdir(), "curlew-setup-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const put = (name: string, text: string) => {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o755 });
  };
  return { home, put, text: (name: string) => readFileSync(join(home, name), "utf8") };
}

describe("curlew setup", () => {
  it("alone lists the clients, those that are installed and those that are set up", async () => {
    const { home, put } = temporaryHome();
    put("bin/codex", "#!/bin/sh\n");
    put(".pi/agent/settings.json", "{}");
    const env = { HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}` };
    await runCurlew(["setup", "pi", "--yes"], { env });
    const { code, stdout } = await runCurlew(["setup", "--json"], { env });
    const states: Record<string, unknown>[] = JSON.parse(stdout);
    const by = (name: string) => states.find(({ client }) => client === name);
    expect(code).toBe(0);
    expect(states.map(({ client }) => client)).toEqual(clients.map(({ name }) => name));
    expect(by("codex")).toMatchObject({ isInstalled: true, isSetUp: false, isProven: true });
    expect(by("pi")).toMatchObject({ isInstalled: true, isSetUp: true });
    expect(by("droid")).toMatchObject({ isInstalled: false, isProven: false });
    expect((await runCurlew(["setup"], { env })).stdout).toMatch(/^claude +Claude Code +- +- +yes +.*settings\.json$/m);
  });

  it("shows what it would write and writes nothing with --dry-run", async () => {
    const { home } = temporaryHome();
    const { code, stdout } = await runCurlew(["setup", "codex", "--dry-run"], { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stdout).toContain('+base_url = "http://127.0.0.1:32124/v1"');
    expect(readdirSync(home)).toEqual([]);
  });

  it("writes nothing where nobody can be asked", async () => {
    const { home } = temporaryHome();
    const { code, stderr } = await runCurlew(["setup", "codex"], { env: { HOME: home } });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("--yes") });
    expect(readdirSync(home)).toEqual([]);
  });

  it("writes the key and does not print it", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, CURLEW_KEY: KEY };
    const printed = [
      await runCurlew(["setup", "claude", "--yes"], { env }),
      await runCurlew(["setup", "claude", "--json", "--url", "http://127.0.0.1:1/v1", "--yes"], { env }),
      await runCurlew(["setup", "claude", "--undo", "--dry-run"], { env: { HOME: home } }),
      await runCurlew(["setup", "claude", "--dry-run"], { env: { HOME: home } }),
    ];
    for (const { code, stdout, stderr } of printed) {
      expect(code).toBe(0);
      expect(stdout).toContain("***");
      expect(stdout + stderr).not.toContain(KEY);
    }
    expect(JSON.parse(text(".claude/settings.json")).env.ANTHROPIC_AUTH_TOKEN).toBe(KEY);
  });

  it("says what it did as JSON, and takes it back", async () => {
    const { home, put, text } = temporaryHome();
    put(".qwen/settings.json", '{ "mine": 1 } // kept\n');
    const file = join(home, ".qwen", "settings.json");
    const env = { HOME: home };
    const tell = async (args: string[]) => JSON.parse((await runCurlew([...args, "--json"], { env })).stdout);
    const backup = `${file}.before-curlew`;
    expect(await tell(["setup", "qwen", "--yes"])).toMatchObject({ client: "qwen", file, backup, change: "written" });
    expect(text(".qwen/settings.json.before-curlew")).toBe('{ "mine": 1 } // kept\n');
    expect(await tell(["setup", "qwen", "--yes"])).toMatchObject({ change: "none", diff: "" });
    expect(await tell(["setup", "qwen", "--undo", "--yes"])).toMatchObject({ change: "undone" });
    expect(text(".qwen/settings.json")).toBe('{ "mine": 1 } // kept\n');
    expect(existsSync(backup)).toBe(false);
    expect(await tell(["setup", "qwen", "--undo", "--yes"])).toMatchObject({ change: "none" });
  });

  it("writes how much the model reads, by the list of the gateway, and takes it back", async () => {
    const { home, put, text } = temporaryHome();
    const before = '{\n    // mine\n  "env": { "MINE": "1" } }\n';
    put(".claude/settings.json", before);
    const system = await startWholeSystem();
    onTestFinished(() => system.close());
    const windowOf = async (...model: string[]) => {
      const args = ["setup", "claude", "--yes", "--url", system.url, ...model];
      const { code, stderr } = await runCurlew(args, { env: { HOME: home } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return /"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "(\d+)"/.exec(text(".claude/settings.json"))?.[1];
    };
    expect(await windowOf("--model", "gpt-5.5")).toBe("272000");
    expect(await windowOf("--model", "opus:max")).toBe("1000000");
    expect(await windowOf()).toBe("200000");
    await runCurlew(["setup", "claude", "--undo", "--yes"], { env: { HOME: home } });
    expect(text(".claude/settings.json")).toBe(before);
  });

  it("writes all models of the account, the chosen one and a cheap one for small work", async () => {
    const { home, put, text } = temporaryHome();
    put(".config/opencode/opencode.json", "{}");
    const system = await startWholeSystem();
    onTestFinished(() => system.close());
    const args = ["setup", "opencode", "--yes", "--url", system.url, "--model", "opus:high"];
    const { code, stderr } = await runCurlew(args, { env: { HOME: home } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { provider, model, small_model } = JSON.parse(text(".config/opencode/opencode.json"));
    expect(Object.keys(provider.curlew.models)).toEqual(
      expect.arrayContaining(["auto", "composer-2.5", "claude-opus-4-8-high", "gpt-5.5-medium", "gemini-3.1-pro"]),
    );
    expect(provider.curlew.models["gemini-3.1-pro"]).toMatchObject({
      name: "Gemini 3.1 Pro",
      reasoning: false,
      attachment: true,
      limit: { context: 1_000_000 },
    });
    expect({ model, small_model }).toEqual({ model: "curlew/opus:high", small_model: "curlew/composer-2.5" });
  });

  it("asks Cursor for the models where no gateway runs", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, CURLEW_BACKEND: "simulator", PORT: "1" };
    const { code, stderr } = await runCurlew(["setup", "pi", "--yes"], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Start it: curlew") });
    expect(stderr).not.toContain("are not known");
    const { providers } = JSON.parse(text(".pi/agent/models.json"));
    expect(providers.curlew.models).toContainEqual(
      expect.objectContaining({ id: "gpt-5.5-medium", name: "GPT-5.5", reasoning: true, contextWindow: 272_000 }),
    );
    const refused = await runCurlew(["setup", "pi", "--yes", "--model", "gpt-5.5-medum"], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/`gpt-5.5-medum`.*`gpt-5.5-medium`/) });
  });

  it("refuses a model that the account does not have, and names the nearest", async () => {
    const { home } = temporaryHome();
    const system = await startWholeSystem();
    onTestFinished(() => system.close());
    const args = ["setup", "claude", "--yes", "--url", system.url, "--model", "nosuch"];
    const { code, stderr } = await runCurlew(args, { env: { HOME: home } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/`nosuch`.*Did you mean/) });
    expect(readdirSync(home)).toEqual([]);
  });

  it("says what is missing: the client, the models, the gateway", async () => {
    const { home } = temporaryHome();
    const dry = ["setup", "claude", "--dry-run", "--url", "http://127.0.0.1:1"];
    const { code, stderr } = await runCurlew(dry, { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stderr.trim().split("\n")).toEqual([
      "Claude Code is not installed, or claude is not on the PATH. Install it: npm install -g @anthropic-ai/claude-code",
      "The models of your account are not known, so only auto is written. Run this again while the gateway is running.",
      "No gateway answers at http://127.0.0.1:1. Start it: curlew",
    ]);
    const json = await runCurlew([...dry, "--json"], { env: { HOME: home } });
    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout).warnings).toEqual(stderr.trim().split("\n"));
  });

  it("says that the gateway asks for a key", async () => {
    const { home } = temporaryHome();
    const system = await startWholeSystem({}, { key: KEY });
    onTestFinished(() => system.close());
    const args = ["setup", "codex", "--dry-run", "--url", system.url];
    const without = await runCurlew(args, { env: { HOME: home } });
    expect(without.stderr).toContain("asks for a key");
    const { code, stderr } = await runCurlew(args, { env: { HOME: home, CURLEW_KEY: KEY } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("asks for a key") });
  });

  it.each([
    ["claude", true],
    ["codex", false], // Codex does not get the size at all
  ])("says whether %s was set up with a guess where no gateway answers", async (client, isGuess) => {
    const { home } = temporaryHome();
    const args = ["setup", client, "--dry-run", "--model", "gpt-5.5", "--url", "http://127.0.0.1:1"];
    const { code, stderr } = await runCurlew(args, { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stderr).toContain("gpt-5.5 is not checked");
    expect(stderr.includes("200,000 tokens of context are assumed")).toBe(isGuess);
  });

  it("warns of a file with the key that others can read", async () => {
    const { home, put } = temporaryHome();
    put(".claude/settings.json", "{}");
    const { stdout } = await runCurlew(["setup", "claude", "--yes"], { env: { HOME: home, CURLEW_KEY: KEY } });
    expect(stdout).toContain("chmod 600");
  });

  it("leaves alone what it cannot read, and prints what to add by hand", async () => {
    const { home, put, text } = temporaryHome();
    put(".codex/config.toml", "model = = 1\n");
    const { code, stderr } = await runCurlew(["setup", "codex", "--yes"], { env: { HOME: home, CURLEW_KEY: KEY } });
    expect(code).toBe(1);
    expect(stderr).toContain("not valid TOML");
    expect(stderr).toContain("[model_providers.curlew]");
    expect(stderr).not.toContain(KEY);
    expect(text(".codex/config.toml")).toBe("model = = 1\n");
  });

  it("asks for the file where a client has no path of its own", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, PORT: "1" }; // no gateway that would know its models
    const { code, stderr } = await runCurlew(["setup", "litellm", "--yes"], { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--file") });
    await runCurlew(["setup", "litellm", "--yes", "--file", join(home, "mine.yaml"), "--model", "gpt"], { env });
    expect(text("mine.yaml")).toContain("model: openai/gpt");
  });

  it.each([
    [["setup", "opncode"], "Did you mean opencode?"],
    [["setup", "codex", "--url", "ftp://x"], "--url must be"],
    [["setup", "codex", "--model", "two words"], "--model must be"],
    [["setup", "codex", "claude"], "one client at a time"],
    [["setup", "env", "--shell", "tcsh"], "--shell must be posix, fish"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await runCurlew(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it("writes the plugin of OpenCode for both versions, beside other plugins, and takes it back", async () => {
    const { home, put, text } = temporaryHome();
    const file = ".config/opencode/opencode.json";
    const before = '{\n  "plugin": ["another", "file:///old/curlew-0.0.9/dist/opencode"] // mine\n}\n';
    put(file, before);
    const env = { HOME: home };
    const { code, stdout } = await runCurlew(["setup", "opencode", "--plugin", "--yes"], { env });
    const folder = pathToFileURL(join(dirname(mainFile), "opencode")).href;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("cursor/auto") });
    expect(json.parse(text(file))).toMatchObject({ plugin: ["another", folder], plugins: [folder] });
    expect(text(file)).toContain("// mine");
    const again = await runCurlew(["setup", "opencode", "--plugin", "--yes"], { env });
    expect(again.stdout).toContain("is set up already");
    await runCurlew(["setup", "opencode", "--undo", "--yes"], { env });
    expect(text(file)).toBe(before);
    const none = await runCurlew(["setup", "pi", "--plugin"], { env });
    expect(none).toMatchObject({ code: 2, stderr: "curlew: There is no plugin for pi. Run: curlew setup pi\n" });
  });

  it.each([
    [["--shell", "fish"], {}, "set -gx OPENAI_BASE_URL http://127.0.0.1:1/v1"],
    [["--shell", "powershell"], {}, "$env:OPENAI_BASE_URL = 'http://127.0.0.1:1/v1'"],
    [["--shell", "cmd"], {}, 'set "OPENAI_BASE_URL=http://127.0.0.1:1/v1"'],
    [["--shell", "nushell"], {}, "$env.OPENAI_BASE_URL = 'http://127.0.0.1:1/v1'"],
    [[], { SHELL: "/usr/bin/fish" }, "set -gx OPENAI_BASE_URL http://127.0.0.1:1/v1"],
  ])("prints lines for other shells: %j %j", async (args, env, line) => {
    const { code, stdout } = await runCurlew(["setup", "env", "--url", "http://127.0.0.1:1", ...args], { env });
    expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: line });
  });

  it("never prints the key for a shell, but where it is", async () => {
    const args = ["setup", "env", "--url", "http://127.0.0.1:1", "--shell", "powershell"];
    const { stdout } = await runCurlew(args, { env: { CURLEW_KEY: KEY } });
    expect(stdout).toContain("$env:OPENAI_API_KEY = $env:CURLEW_KEY\n");
    expect(stdout).not.toContain(KEY);
  });

  it("prints lines for a shell", async () => {
    const { stdout } = await runCurlew(["setup", "env", "--url", "http://127.0.0.1:1"]);
    expect(stdout).toContain("export OPENAI_BASE_URL=http://127.0.0.1:1/v1\n");
    expect(
      stdout
        .trim()
        .split("\n")
        .every((line) => line.startsWith("export ")),
    ).toBe(true);
  });
});

describe.skipIf(!hasScript)("curlew setup on a terminal", () => {
  const env = { CURLEW_BACKEND: "simulator", PORT: "1" };

  it("asks which model, shows the change and writes what was chosen", async () => {
    const { home, text } = temporaryHome();
    const person = curlewOnTerminal(["setup", "opencode"], { ...env, HOME: home });
    await person.until(/Which model\?[\s\S]*composer-2\.5 +200k +\$0\.5 in, \$2\.5 out/);
    person.press("opus", keys.enter);
    await person.until("Write this?");
    person.press("y");
    expect(await person.ended).toBe(0);
    expect(person.shown()).toContain("OpenCode is set up.");
    expect(person.shown().trimEnd()).toMatch(/Start it: curlew$/);
    const written = JSON.parse(text(".config/opencode/opencode.json"));
    expect(written).toMatchObject({ model: "curlew/claude-opus-4-8-high", small_model: "curlew/composer-2.5" });
  });

  it("writes nothing if the user leaves the list", async () => {
    const { home } = temporaryHome();
    const person = curlewOnTerminal(["setup", "claude"], { ...env, HOME: home });
    await person.until("Which model?");
    person.press(keys.ctrlC);
    expect(await person.ended).toBe(1);
    expect(person.shown()).toContain("Nothing was written.");
    expect(existsSync(join(home, ".claude"))).toBe(false);
  });

  it.each([
    ["with --yes", ["--yes"], {}],
    ["where CI is set", ["--dry-run"], { CI: "1" }],
    ["where nothing can be drawn over", ["--dry-run"], { TERM: "dumb" }],
    ["with --model", ["--dry-run", "--model", "opus"], {}],
  ])("does not ask for a model %s", async (_, args, more) => {
    const { home } = temporaryHome();
    const person = curlewOnTerminal(["setup", "claude", ...args], { ...env, ...more, HOME: home });
    expect(await person.ended).toBe(0);
    expect(person.shown()).not.toContain("Which model?");
  });
});
