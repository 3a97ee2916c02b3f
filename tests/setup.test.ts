import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { clients } from "../packages/cli/setup/clients.js";
import { json } from "../packages/cli/setup/formats/json.js";
import { makeKey, readKeys, writeKeys } from "../packages/meter/keys/index.js";
import { openWholeSystem } from "../testing/gateway/whole-system.js";
import { mainFile, runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { curlewOnTerminal, hasScript, keys } from "../testing/programs/on-terminal.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const KEY = "a-key-of-the-gateway$1";

function temporaryHome() {
  const home = temporaryFolder();
  const put = (name: string, text: string) => {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o755 });
  };
  return { home, put, text: (name: string) => readFileSync(join(home, name), "utf8") };
}

describe("curlew setup", () => {
  it("without a client lists all, with those that are installed and set up", async () => {
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

  it("only shows what it would write with --dry-run", async () => {
    const { home } = temporaryHome();
    const { code, stdout } = await runCurlew(["setup", "codex", "--dry-run"], { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stdout).toContain('+base_url = "http://127.0.0.1:32124/v1"');
    expect(readdirSync(home)).toEqual([]);
  });

  it("writes nothing without a terminal or --yes", async () => {
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

  it("reports changes as JSON, and undoes them", async () => {
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

  it("writes the context size from the list of the gateway, and undoes it", async () => {
    const { home, put, text } = temporaryHome();
    const before = '{\n    // mine\n  "env": { "MINE": "1" } }\n';
    put(".claude/settings.json", before);
    const system = await openWholeSystem();
    const windowOf = async (...model: string[]) => {
      const args = ["setup", "claude", "--yes", "--url", system.url, ...model];
      const { code, stderr } = await runCurlew(args, { env: { HOME: home } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return /"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "(\d+)"/.exec(text(".claude/settings.json"))?.[1];
    };
    expect(await windowOf("--model", "gpt-5.5")).toBe("272000");
    expect(await windowOf("--model", "opus:max")).toBe("1000000");
    expect(await windowOf()).toBe("1000000");
    expect(await windowOf("--model", "auto")).toBe("200000");
    await runCurlew(["setup", "claude", "--undo", "--yes"], { env: { HOME: home } });
    expect(text(".claude/settings.json")).toBe(before);
  });

  it("keeps the model when it runs again, unless the account has lost it", async () => {
    const { home, put, text } = temporaryHome();
    const { url } = await openWholeSystem();
    const modelAfter = async (...args: string[]) => {
      const { code, stderr } = await runCurlew(["setup", "qwen", "--yes", "--url", url, ...args], {
        env: { HOME: home },
      });
      expect({ code, stderr: stderr.replace(/^Qwen Code is not installed.*\n/, "") }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(text(".qwen/settings.json")).model.name;
    };
    const choose = (name: string) =>
      put(".qwen/settings.json", text(".qwen/settings.json").replace(/("name": )"[^"]*"/, `$1"${name}"`));
    expect(await modelAfter("--model", "composer-2.5")).toBe("composer-2.5");
    expect(await modelAfter()).toBe("composer-2.5");
    choose("gpt-5.5-low");
    expect(await modelAfter()).toBe("gpt-5.5-low");
    choose("gone-1");
    expect(await modelAfter()).toBe("auto");
  });

  it("gives Codex the account's models with its own instructions, and takes both files back", async () => {
    const { home, put, text } = temporaryHome();
    const { url } = await openWholeSystem();
    const env = { HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}` };
    const setUp = (...args: string[]) => runCurlew(["setup", "codex", "--yes", "--url", url, ...args], { env });
    const bundled = [
      { slug: "a", tool_mode: "code_mode_only", base_instructions: "Write programs." },
      {
        slug: "b",
        apply_patch_tool_type: "freeform",
        base_instructions: "You are Codex, an agent based on GPT-5.5. Call tools.",
      },
    ];
    expect((await setUp("--model", "gpt-5.5-medium")).code).toBe(0);
    expect(text(".codex/config.toml")).toContain("model_context_window = 272000\n");
    expect(readdirSync(join(home, ".codex"))).toEqual(["config.toml"]);
    await setUp("--undo");
    put(
      "bin/codex",
      `#!/bin/sh\n[ "$*" = "debug models --bundled" ] && echo '${JSON.stringify({ models: bundled })}'\n`,
    );
    const { stdout } = await setUp("--model", "gpt-5.5-medium");
    expect(stdout).toContain("curlew-models.json\n(your account's models, with Codex's own instructions)\n");
    expect(stdout).not.toContain("Call tools");
    expect(text(".codex/config.toml")).toContain('model_catalog_json = "curlew-models.json"\n');
    expect(text(".codex/config.toml")).not.toContain("model_context_window");
    const { models } = JSON.parse(text(".codex/curlew-models.json"));
    expect(models.map(({ slug }: { slug: string }) => slug)).toEqual(expect.arrayContaining(["auto", "composer-2.5"]));
    expect(models[0]).toMatchObject({
      slug: "gpt-5.5-medium",
      context_window: 272_000,
      supported_reasoning_levels: ["low", "medium", "high"].map((effort) => expect.objectContaining({ effort })),
      default_reasoning_level: "medium",
      apply_patch_tool_type: "freeform",
      base_instructions: "You are Codex, an agent. Call tools.",
    });
    expect((await setUp()).stdout).toContain("is already set up");
    expect((await setUp("--undo")).code).toBe(0);
    expect(existsSync(join(home, ".codex"))).toBe(false);
  });

  it.each(["nothing there", "a marker there"])(
    "spares Continue's question for a key, with %s before",
    async (before) => {
      const { home, put } = temporaryHome();
      const marker = join(home, ".continue", ".onboarding_complete");
      if (before === "a marker there") put(".continue/.onboarding_complete", "2026-01-01");
      const setUp = (...args: string[]) =>
        runCurlew(["setup", "continue", "--yes", ...args], { env: { HOME: home, PORT: "1" } });
      expect((await setUp()).stdout).toContain(".onboarding_complete: ");
      expect(existsSync(marker)).toBe(true);
      await setUp("--undo");
      expect(existsSync(marker)).toBe(before === "a marker there");
      expect(existsSync(join(home, ".continue", "config.yaml"))).toBe(false);
    },
  );

  it("writes all models of the account, the chosen one and a small one", async () => {
    const { home, put, text } = temporaryHome();
    put(".config/opencode/opencode.json", "{}");
    const system = await openWholeSystem();
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
    expect(provider.curlew.models["composer-2.5"].cost).toEqual({
      input: 0.5,
      output: 2.5,
      cache_read: 0.2,
      cache_write: 0.5,
    });
    expect({ model, small_model }).toEqual({ model: "curlew/opus:high", small_model: "curlew/composer-2.5" });
  });

  it("asks Cursor for the models if no gateway runs", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, CURLEW_BACKEND: "simulator", PORT: "1" };
    const { code, stderr } = await runCurlew(["setup", "pi", "--yes"], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Start it: curlew") });
    expect(stderr).not.toContain("are unknown");
    const { providers } = JSON.parse(text(".pi/agent/models.json"));
    expect(providers.curlew.models).toContainEqual(
      expect.objectContaining({ id: "gpt-5.5-medium", name: "GPT-5.5", reasoning: true, contextWindow: 272_000 }),
    );
    const refused = await runCurlew(["setup", "pi", "--yes", "--model", "gpt-5.5-medum"], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/`gpt-5.5-medum`.*`gpt-5.5-medium`/) });
  });

  it("warns of what is missing: the client, the models, the gateway", async () => {
    const { home } = temporaryHome();
    const dry = ["setup", "claude", "--dry-run", "--url", "http://127.0.0.1:1"];
    const { code, stderr } = await runCurlew(dry, { env: { HOME: home } });
    expect(code).toBe(0);
    expect(stderr.trim().split("\n")).toEqual([
      "Claude Code is not installed, or claude is not on the PATH. Install it: npm install -g @anthropic-ai/claude-code",
      "Your account's models are unknown, so only auto is written. Run this again while the gateway is running.",
      "No gateway answers at http://127.0.0.1:1. Start it: curlew",
    ]);
    const json = await runCurlew([...dry, "--json"], { env: { HOME: home } });
    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout).warnings).toEqual(stderr.trim().split("\n"));
  });

  it("does not write a key that the gateway would refuse", async () => {
    const { home } = temporaryHome();
    const system = await openWholeSystem({}, { key: KEY });
    // The gateway has its own home, so the keys of this home are not valid there.
    writeKeys(join(home, "curlew", "keys.json"), [makeKey("mine", {}, 0).stored]);
    const withKeys = { CURLEW_HOME: join(home, "curlew") };
    const setUp = (env: Record<string, string>, url = system.url) =>
      runCurlew(["setup", "claude", "--yes", "--url", url], { env: { HOME: home, ...env } });
    for (const env of [{}, { CURLEW_KEY: `${KEY}2` }, withKeys]) {
      const { code, stderr } = await setUp(env);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("requires a key") });
    }
    const away = await setUp({}, "http://203.0.113.1:1");
    expect(away).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No gateway answers at http://203.0.113.1:1."),
    });
    expect(away.stderr).not.toContain("of its own");
    const broken = { CURLEW_HOME: join(home, "broken"), PORT: "1" };
    mkdirSync(broken.CURLEW_HOME);
    writeFileSync(join(broken.CURLEW_HOME, "keys.json"), "{");
    const unread = await runCurlew(["setup", "claude", "--yes"], { env: { HOME: home, ...broken } });
    expect(unread).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/keys\.json is not a list of keys[^\n]*\n$/),
    });
    expect(existsSync(join(home, ".claude"))).toBe(false);
    expect(readKeys(join(home, "curlew", "keys.json"))).toHaveLength(1);
    expect(await setUp({ CURLEW_KEY: KEY })).toMatchObject({ code: 0, stderr: expect.not.stringContaining("a key") });
  });

  it("creates one key for the client if the gateway requires one, and revokes it on undo", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, CURLEW_HOME: join(home, "curlew") };
    const file = join(home, "curlew", "keys.json");
    writeKeys(file, [makeKey("claude", {}, 0).stored]);
    const { url } = await serveCurlew([], { env });
    const setUp = (...args: string[]) => runCurlew(["setup", "claude", "--url", url, ...args], { env });
    const names = () => readKeys(file)?.map(({ name }) => name);
    expect(await setUp("--dry-run")).toMatchObject({ code: 0 });
    expect(names()).toEqual(["claude"]);
    const made = await setUp("--yes");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("Claude Code is set up.") });
    const key = JSON.parse(text(".claude/settings.json")).env.ANTHROPIC_AUTH_TOKEN;
    expect(made.stdout + made.stderr).not.toContain(key);
    const status = async () => (await fetch(`${url}/v1/models`, { headers: { "x-api-key": key } })).status;
    expect(await status()).toBe(200);
    expect((await setUp("--yes")).stdout).toContain("is already set up");
    expect(names()).toEqual(["claude", "claude-2"]);
    expect(await setUp("--undo", "--yes")).toMatchObject({ code: 0 });
    expect(names()).toEqual(["claude"]);
    await expect.poll(status).toBe(401);
  });

  it("shows how to create a key for a client whose file does not store it, and keeps keys on undo", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, CURLEW_HOME: join(home, "curlew"), PORT: "1" };
    const file = join(home, "curlew", "keys.json");
    const { secret, stored } = makeKey("mine", {}, 0);
    writeKeys(file, [stored]);
    const { code, stderr } = await runCurlew(["setup", "codex", "--yes"], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("curlew keys add codex") });
    expect(text(".codex/config.toml")).toContain('env_key = "CURLEW_KEY"');
    await runCurlew(["setup", "pi", "--yes"], { env: { ...env, CURLEW_KEY: secret } });
    expect(text(".pi/agent/models.json")).toContain(secret);
    await runCurlew(["setup", "pi", "--undo", "--yes"], { env });
    expect(readKeys(file)).toEqual([stored]);
  });

  it("reports in one sentence that the file cannot be written, and leaves no key behind", async () => {
    const { home, put } = temporaryHome();
    put("file", "");
    const env = { HOME: home, CURLEW_HOME: join(home, "curlew"), PORT: "1" };
    const keys = join(home, "curlew", "keys.json");
    writeKeys(keys, [makeKey("mine", {}, 0).stored]);
    const file = join(home, "file", "settings.json");
    const { code, stderr } = await runCurlew(["setup", "claude", "--yes", "--file", file], { env });
    expect(code).toBe(1);
    expect(stderr).toContain(`curlew: ${file} cannot be written: `);
    expect(stderr).not.toContain("    at ");
    expect(readKeys(keys)?.map(({ name }) => name)).toEqual(["mine"]);
  });

  it.each([
    ["claude", true],
    ["codex", true],
    ["qwen", false], // Qwen Code gets no context size
  ])("warns if %s is set up with a guessed context size, without a gateway", async (client, isGuess) => {
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

  it("does not change an unreadable file, and prints what to add by hand", async () => {
    const { home, put, text } = temporaryHome();
    put(".codex/config.toml", "model = = 1\n");
    const { code, stderr } = await runCurlew(["setup", "codex", "--yes"], { env: { HOME: home, CURLEW_KEY: KEY } });
    expect(code).toBe(1);
    expect(stderr).toContain("not valid TOML");
    expect(stderr).toContain("[model_providers.curlew]");
    expect(stderr).not.toContain(KEY);
    expect(text(".codex/config.toml")).toBe("model = = 1\n");
  });

  it("requires --file for a client without a default path", async () => {
    const { home, text } = temporaryHome();
    const env = { HOME: home, PORT: "1" }; // no gateway with its models
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
    [["setup", "--undo"], "Name the client"],
    [["setup", "env", "--shell", "tcsh"], "--shell must be posix, fish"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await runCurlew(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it("adds the plugin for both versions of OpenCode beside other plugins, and undoes it", async () => {
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
    expect(again.stdout).toContain("is already set up");
    await runCurlew(["setup", "opencode", "--undo", "--yes"], { env });
    expect(text(file)).toBe(before);
    const none = await runCurlew(["setup", "pi", "--plugin"], { env });
    expect(none).toMatchObject({ code: 2, stderr: "curlew: There is no plugin for pi. Run: curlew setup pi\n" });
  });

  it("prints the location of the key for a shell, never the key", async () => {
    const args = ["setup", "env", "--url", "http://127.0.0.1:1", "--shell", "powershell"];
    const { stdout } = await runCurlew(args, { env: { CURLEW_KEY: KEY } });
    expect(stdout).toContain("$env:OPENAI_API_KEY = $env:CURLEW_KEY\n");
    expect(stdout).not.toContain(KEY);
  });
});

describe.skipIf(!hasScript)("curlew setup on a terminal", () => {
  const env = { CURLEW_BACKEND: "simulator", PORT: "1" };

  it("asks for a model, shows the change and writes it", async () => {
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

  it("asks for the key of a gateway on another machine, and writes it", async () => {
    const { home, text } = temporaryHome();
    const system = await openWholeSystem({}, { key: KEY });
    const args = ["setup", "claude", "--model", "auto", "--url", system.url];
    const person = curlewOnTerminal(args, { HOME: home });
    await person.until("The key of the gateway at");
    person.press(KEY, keys.enter);
    await person.until("Write this?");
    person.press("y");
    expect(await person.ended).toBe(0);
    expect(person.shown()).not.toContain(KEY);
    expect(text(".claude/settings.json")).toContain(KEY);
  });

  it("writes nothing if the user quits the list", async () => {
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
    ["on a dumb terminal", ["--dry-run"], { TERM: "dumb" }],
    ["with --model", ["--dry-run", "--model", "opus"], {}],
  ])("does not ask for a model %s", async (_, args, more) => {
    const { home } = temporaryHome();
    const person = curlewOnTerminal(["setup", "claude", ...args], { ...env, ...more, HOME: home });
    expect(await person.ended).toBe(0);
    expect(person.shown()).not.toContain("Which model?");
  });
});
