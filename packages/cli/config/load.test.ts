import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { registeredBackends } from "@curlew/gateway/backends/registry.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { loadSettings, type SettingsSources } from "./load.js";
import { SettingsError } from "./settings-error.js";

let home = "";

beforeEach(() => {
  home = temporaryFolder();
});

function load(sources: SettingsSources = {}) {
  return loadSettings({ ...sources, env: { CURLEW_HOME: home, ...sources.env }, homeDirectory: home });
}

function writeConfig(content: unknown): string {
  const path = join(home, "curlew.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function problemsOf(sources: SettingsSources): string {
  try {
    load(sources);
  } catch (thrown) {
    if (thrown instanceof SettingsError) return thrown.message;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

describe("where a setting comes from", () => {
  it("has built-in defaults", () => {
    const { settings, origins } = load();
    expect(settings).toMatchObject({
      host: "127.0.0.1",
      port: 32124,
      backend: "auto",
      backendUrl: "https://api2.cursor.sh",
      websiteUrl: "https://cursor.com",
      stallMs: 300_000,
      toolLoopMaxRepeat: 2,
      authCheckTimeoutMs: 5_000,
    });
    expect(origins).toEqual({});
  });

  it("lets flags win over the environment, and the environment over curlew.json", () => {
    const path = writeConfig({ port: 1001, leaseMs: 1_001, stallMs: 1_001 });
    const { settings, origins } = load({ given: { port: "3003" }, env: { PORT: "2002", CURLEW_LEASE_MS: "1002" } });
    expect(settings).toMatchObject({ port: 3003, leaseMs: 1_002, stallMs: 1_001 });
    expect(origins).toEqual({
      port: "--port",
      leaseMs: "environment variable CURLEW_LEASE_MS",
      stallMs: `${path}:1`,
    });
  });

  it("treats an empty variable as unset", () => {
    expect(load({ env: { PORT: "", CURSOR_API_KEY: "" } }).settings).toMatchObject({ port: 32124, apiKey: undefined });
  });

  it("keeps the old name CURSOR_URL, after CURSOR_BACKEND_URL", () => {
    const old = { CURSOR_URL: "https://old.example" };
    expect(load({ env: old }).settings.backendUrl).toBe("https://old.example");
    expect(load({ env: { ...old, CURSOR_BACKEND_URL: "https://new.example" } }).settings.backendUrl).toBe(
      "https://new.example",
    );
  });

  it("takes embedding options as they are, and ignores PORT", () => {
    const { settings } = load({ given: { allowedHosts: ["a"] }, givenOnly: ["port"], env: { PORT: "3000" } });
    expect(settings).toMatchObject({ port: 32124, allowedHosts: ["a"] });
  });

  it("reads the file that --config names instead of the one in the folder", () => {
    writeConfig({ port: 1001 });
    const other = join(home, "other.json");
    writeFileSync(other, '\uFEFF{"port": 1002}');
    expect(load({ configFile: other })).toMatchObject({ settings: { port: 1002 }, configFile: other });
  });

  it("looks for curlew.json where the system keeps such files", () => {
    const machine = { platform: "linux", env: {}, homeDirectory: "/home/me" } as const;
    expect(loadSettings(machine).configFile).toBe("/home/me/.config/curlew/curlew.json");
  });
});

describe("a value that can be used", () => {
  it.each([
    ["a list of hosts", { CURLEW_ALLOWED_HOSTS: "a.example, b.example," }, "allowedHosts", ["a.example", "b.example"]],
    ["origins", { CURLEW_CORS_ORIGINS: "https://a.example" }, "corsOrigins", ["https://a.example"]],
    ["plain http on this machine", { CURSOR_BACKEND_URL: "http://127.0.0.1:9/" }, "backendUrl", "http://127.0.0.1:9"],
    ["plain http on IPv6 loopback", { CURSOR_AGENT_URL: "http://[::1]:9" }, "agentUrl", "http://[::1]:9"],
    ["an IPv6 address to listen on", { HOST: "::1" }, "host", "::1"],
    ["port 0", { PORT: "0" }, "port", 0],
    ["a gateway key of 16 characters", { CURLEW_KEY: "0123456789abcdef" }, "key", "0123456789abcdef"],
    ["an access token", { CURSOR_AUTH_TOKEN: "eyJ.a.b" }, "authToken", "eyJ.a.b"],
    ["the token in a web cookie", { CURSOR_AUTH_TOKEN: "user_01%3A%3AeyJ.a.b" }, "authToken", "eyJ.a.b"],
    ["the token in a decoded web cookie", { CURSOR_AUTH_TOKEN: "user_01::eyJ.a.b" }, "authToken", "eyJ.a.b"],
    ["a version of the desktop app", { CURSOR_CLIENT_VERSION: "0.42.3" }, "clientVersion", "0.42.3"],
    ["an SDK version", { CURSOR_CLIENT_VERSION: "sdk-1.0.32" }, "clientVersion", "sdk-1.0.32"],
  ] as const)("takes %s", (_, env, name, value) => {
    expect(load({ env }).settings[name]).toEqual(value);
  });
});

describe("a value that cannot be used", () => {
  it.each([
    ["PORT", "80 80", "a whole number from 0 to 65535"],
    ["PORT", "65536", "a whole number from 0 to 65535"],
    ["PORT", "-1", "a whole number from 0 to 65535"],
    ["PORT", "1e3", "a whole number from 0 to 65535"],
    ["HOST", "http://localhost", "an IP address or a host name, without scheme or port"],
    ["CURLEW_BACKEND", "magic", `one of auto, ${registeredBackends.join(", ")}, simulator`],
    ["CURLEW_LOG_LEVEL", "loud", "one of silent, fatal, error, warn, info, debug, trace"],
    ["CURSOR_BACKEND_URL", "api2.cursor.sh", "a base URL such as https://example.com"],
    ["CURSOR_BACKEND_URL", "https://u:p@example.com", "a base URL such as https://example.com"],
    ["CURSOR_URL", "https://example.com/StreamChat", "a base URL such as https://example.com"],
    ["CURSOR_AGENT_URL", "ftp://127.0.0.1", "a base URL such as https://example.com"],
    ["CURSOR_BACKEND_URL", "http://example.com", "an https:// URL; plain http:// is accepted only for this machine"],
    ["CURSOR_WEBSITE_URL", "http://127.0.0.1.example.com", "an https:// URL"],
    ["CURLEW_CORS_ORIGINS", "https://a.example/path", "web origins such as https://example.com"],
    ["CURLEW_ALLOWED_HOSTS", "https://a.example", "host names separated by commas"],
    ["CURSOR_CLIENT_VERSION", "3.x", "the version of a Cursor CLI or SDK"],
    ["CURLEW_DISABLED_QUIRKS", "titels", "one of native-tools, written-calls, think-tags, titles"],
  ])("%s=%s is refused, and the message says what it must be", (variable, value, must) => {
    const message = problemsOf({ env: { [variable]: value } });
    const safe = value.replace("u:p@", "***@");
    const shown = /^[\w./:@,*-]+$/.test(safe) ? safe : JSON.stringify(safe);
    expect(message).toContain(`${variable}=${shown} (environment) must be ${must}`);
  });

  it("is named by its flag, its variable or its place in the file, all in one error", () => {
    const path = writeConfig({ leaseMs: "long", stateMaxBytes: null });
    const message = problemsOf({ given: { port: "x" }, env: { CURLEW_STALL_MS: "soon" } });
    expect(message.split("\n")).toEqual([
      '--port must be a whole number from 0 to 65535, not "x".',
      "CURLEW_STALL_MS=soon (environment) must be a whole number from 1000 to 86400000.",
      `${path}:1:12: leaseMs must be a whole number from 1000 to 86400000, not "long".`,
      `${path}:1:35: stateMaxBytes must be a whole number from 1048576 to 1099511627776, not null.`,
    ]);
  });

  it("is not shown when it is a secret", () => {
    const message = problemsOf({ env: { CURLEW_KEY: "short-secret" } });
    expect(message).toBe("CURLEW_KEY (environment) must be at least 16 printable characters without blanks.");
    expect(problemsOf({ env: { CURSOR_API_KEY: "crsr_two words" } })).not.toContain("crsr_two");
  });

  it("is shown without the password of an address and without a key", () => {
    const given = { backendUrl: "https://me:pass@word@cursor.test/", port: "crsr_0123456789" };
    const problems = problemsOf({ given, env: { CURLEW_ALLOWED_ORIGINS: "ftp://me:pass/word@page.test" } });
    expect(problems).toContain('not "https://***@cursor.test/"');
    expect(problems).not.toMatch(/me:|pass[@/]|word@|0123456789/);
    writeConfig({ backendUrl: "https://me:pass@cursor.test" });
    expect(problemsOf({})).not.toMatch(/pass@/);
  });
});

describe("curlew.json", () => {
  it.each([
    ["an unknown name", { colour: "red" }, "colour is not a setting. The settings are: host, port, keyFile"],
    ["a name from the prototype", { constructor: 1 }, "constructor is not a setting."],
    ["a secret", { apiKey: "crsr_x" }, "apiKey is a secret and must not be in this file; set CURSOR_API_KEY instead."],
    ["a list", "[1]", 'must hold one JSON object, such as {"port": 32124}.'],
  ])("with %s is refused", (_, content, message) => {
    const path = writeConfig(content);
    expect(problemsOf({})).toContain(message);
    expect(problemsOf({})).toContain(path);
  });

  it.each([
    [{ "gpt-5*": { input: 2 } }],
    [{ "gpt-5*": { input: -1, output: 2 } }],
    [{ "gpt-5*": { input: 1, output: 2, reasoning: 3 } }],
    ["gpt-5*=2"],
    [Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`m${at}`, { input: 1, output: 1 }]))],
  ])("with prices that cannot be used is refused: case %#", (prices) => {
    writeConfig({ prices });
    expect(problemsOf({})).toMatch(
      /curlew\.json:1:\d+: prices.* (must be .*(per million tokens|at most 500 models)|is not one of input, output)/,
    );
  });

  it("may have comments and trailing commas, unlike JSON", () => {
    writeConfig('{\n  // mine\n  "port": 1001, /* for now */\n  "fallback": ["cli",],\n}\n');
    expect(load().settings).toMatchObject({ port: 1001, fallback: ["cli"] });
    expect(load().origins).toMatchObject({ port: expect.stringMatching(/curlew\.json:3$/) });
  });

  it("has every fault named with line, column and path", () => {
    const path = writeConfig(
      [
        "{",
        '  "prot": 1,',
        '  "routes": { "opus": { "backend": "cli" }, "gpt-5*": "clii" },',
        '  "fallback": ["agent", "magic"],',
        '  "prices": { "gpt-5*": { "input": 1, "output": "two", "cacheWrit": 3 } },',
        '  "mcp": { "servers": { "a": { "command": 7, "env": { "K": 1 } } } },',
        '  "modelAliases": { "a": "B", "b": "gpt-5.5" }',
        "}",
      ].join("\n"),
    );
    const backends = registeredBackends.join(", ");
    expect(problemsOf({}).split("\n")).toEqual([
      `${path}:2:3: prot is not a setting. Did you mean port?`,
      `${path}:3:23: routes.opus must be one of ${backends}, not {"backend":"cli"}.`,
      `${path}:3:55: routes.gpt-5* must be one of ${backends}, not "clii". Did you mean cli?`,
      `${path}:4:25: fallback.1 must be one of ${backends}, not "magic".`,
      `${path}:5:49: prices.gpt-5*.output must be US dollars per million tokens, a number from 0 to 100000, not "two".`,
      `${path}:5:69: prices.gpt-5*.cacheWrit is not one of input, output, cacheRead, cacheWrite. Did you mean cacheWrite?`,
      `${path}:6:43: mcp.servers.a.command must be a text.`,
      `${path}:6:60: mcp.servers.a.env.K must be a text.`,
      `${path}:7:26: modelAliases.a must be the name of a model, and B is another alias: write a=gpt-5.5, not "B".`,
    ]);
  });

  it.each([
    ["{\n  port: 1\n}", "2:3: a name or string must be in double quotes."],
    ['{\n  "port" 1\n}', "2:10: a colon is missing."],
    ['{\n  "port": 1\n  "host": "x"\n}', "3:3: a comma is missing."],
    ['{ "port": 1', "1:12: a closing } is missing."],
    ['{ "host": "x }', "1:11: this string has no closing quote."],
    ['{ "port": }', "1:11: a value is missing."],
    ["/* hello", "1:1: this comment is never closed."],
    ["{} {}", "1:4: the file must end after its first value."],
    ["", "1:1: a value is missing."],
    ["[".repeat(100_000), ":1:1: values are nested too deeply here."],
  ])("that is not JSON is refused with the position: case %#", (content, message) => {
    const path = writeConfig(content);
    expect(problemsOf({})).toBe(`${path}:${message.replace(/^:/, "")}`);
  });

  it("has a size limit", () => {
    const path = writeConfig(" ".repeat(1024 * 1024 + 1));
    expect(problemsOf({})).toBe(`${path} is larger than 1048576 bytes.`);
  });

  it("may name a setting twice, and the last counts", () => {
    const path = writeConfig('{"port": 1001,\n "port": "x"}');
    expect(problemsOf({})).toContain(`${path}:2:10: port must be`);
  });

  it("may have prices, which no flag and no variable sets", () => {
    const prices = { "gpt-5*": { input: 2, output: 10 }, auto: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    writeConfig({ prices });
    expect(load({ env: { CURLEW_PRICES: "x" } }).settings.prices).toEqual(prices);
  });

  it("may name its JSON Schema", () => {
    writeConfig({ $schema: "./curlew.schema.json", port: 1001 });
    expect(load()).toMatchObject({ settings: { port: 1001 }, warnings: [] });
  });

  it("may be missing, unless --config names it", () => {
    const missing = join(home, "missing.json");
    expect(load().settings.port).toBe(32124);
    expect(problemsOf({ configFile: missing })).toBe(`${missing} does not exist.`);
  });

  it("is not silently skipped when it cannot be read", () => {
    mkdirSync(join(home, "curlew.json"));
    expect(problemsOf({})).toContain("cannot be read (EISDIR)");
  });
});

describe("the gateway key in a file", () => {
  function writeKey(name: string, content: string, mode = 0o600): string {
    const path = join(home, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  }

  it("is read without the line end", () => {
    const keyFile = writeKey("key", "key-in-a-file-1234\n");
    expect(load({ given: { keyFile } }).settings.key).toBe("key-in-a-file-1234");
  });

  it("yields to CURLEW_KEY unless the flag names it", () => {
    const keyFile = writeKey("key", "key-in-a-file-1234");
    const env = { CURLEW_KEY: "key-in-variable-1234", CURLEW_KEY_FILE: keyFile };
    expect(load({ env }).settings).toMatchObject({ key: "key-in-variable-1234", keyFile: undefined });
    expect(load({ env, given: { keyFile } }).settings.key).toBe("key-in-a-file-1234");
  });

  it("is found beside the curlew.json that names it", () => {
    writeKey("key", "key-in-a-file-1234");
    writeConfig({ keyFile: "key" });
    expect(load().settings.key).toBe("key-in-a-file-1234");
  });

  it("is refused when every user can read it", () => {
    const keyFile = writeKey("key", "key-in-a-file-1234", 0o644);
    expect(problemsOf({ given: { keyFile } })).toContain(`Run: chmod 600 ${keyFile}`);
    expect(load({ given: { keyFile }, platform: "win32" }).settings.key).toBe("key-in-a-file-1234");
  });

  it.each(["", "too-short"])("is refused when it holds only %j", (content) => {
    const message = problemsOf({ given: { keyFile: writeKey("key", content) } });
    expect(message).toBe("--key-file must be at least 16 printable characters without blanks.");
  });

  it("is refused when the file is missing", () => {
    const keyFile = join(home, "nowhere");
    expect(problemsOf({ given: { keyFile } })).toBe(`--key-file names ${keyFile}, which cannot be read (ENOENT).`);
  });
});
