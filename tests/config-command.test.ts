import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { mainFile, runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

let HOME = "";
let file = "";

beforeEach(() => {
  HOME = temporaryFolder();
  file = join(HOME, ".config", "curlew", "curlew.json");
});

const config = (args: readonly string[], env: Record<string, string> = {}) =>
  runCurlew(["config", ...args], { env: { HOME, ...env } });

function write(text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe("curlew config show", () => {
  it("says that nothing is set", async () => {
    const { code, stdout } = await config(["show"]);
    expect([code, stdout]).toEqual([
      0,
      "Nothing is set: every setting has its default.\nAll settings, with their defaults: curlew config show --all\n",
    ]);
  });

  it("shows each set value and its source: file and line, variable, line of an env file, flag", async () => {
    write(
      '{\n  // mine\n  "leaseMs": 60000,\n  "mcp": { "servers": { "a": { "command": "x", "env": { "K": "s3cret" } } } }\n}\n',
    );
    const envFile = join(HOME, "my.env");
    writeFileSync(envFile, "\nCURLEW_LOG_LEVEL=warn\n");
    const env = { PORT: "4000", CURSOR_API_KEY: "crsr_s3cret" };
    const { stdout } = await config(["show", "--env-file", envFile, "--max-mode", "true"], env);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["SETTING", "VALUE", "FROM"],
      ["port", "4000", "environment variable PORT"],
      ["logLevel", "warn", `${envFile}:2 (CURLEW_LOG_LEVEL)`],
      ["apiKey", "(hidden)", "environment variable CURSOR_API_KEY"],
      ["maxMode", "true", "--max-mode"],
      ["mcp", "(hidden)", `${file}:4`],
      ["leaseMs", "60000", `${file}:3`],
      ["All settings, with their defaults: curlew config show --all"],
      [""],
    ]);
    expect(stdout).not.toContain("s3cret");
  });

  it("shows all settings with --all, and JSON to machines", async () => {
    const { stdout } = await config(["show", "--all", "--json"], {
      CURLEW_KEY: "a key of sixteen".replaceAll(" ", "-"),
    });
    const { configFile, settings } = JSON.parse(stdout);
    expect(configFile).toBe(file);
    expect(settings).toContainEqual({ name: "port", value: 32124, isSecret: false, origin: "default" });
    expect(settings).toContainEqual({
      name: "key",
      value: "(hidden)",
      isSecret: true,
      origin: "environment variable CURLEW_KEY",
    });
    expect(settings).toContainEqual({ name: "apiKey", value: null, isSecret: false, origin: "default" });
  });
});

describe("curlew config path", () => {
  it("lists the files and marks missing ones", async () => {
    write("{}");
    const { stdout } = await config(["path"]);
    expect(stdout).toMatch(new RegExp(`^settings +${file}$`, "m"));
    expect(stdout).toMatch(new RegExp(`^ledger +${HOME}/.local/state/curlew/ledger \\(not created\\)$`, "m"));
    expect(stdout).toMatch(new RegExp(`^models +${HOME}/.cache/curlew/models.json \\(not created\\)$`, "m"));
    const json = JSON.parse((await config(["path", "--json"], { CURLEW_HOME: join(HOME, "one") })).stdout);
    expect(json).toMatchObject({
      settings: { path: join(HOME, "one", "curlew.json"), exists: false },
      conversations: { path: join(HOME, "one", "state") },
    });
  });
});

describe("curlew config check", () => {
  it("accepts a valid file, or none", async () => {
    expect(await config(["check"])).toMatchObject({
      code: 0,
      stdout: `No mistakes found. There is no settings file yet (${file}).\n`,
      stderr: "",
    });
    write('{ "port": 4000, /* and */ }');
    expect(await config(["check"])).toMatchObject({ code: 0, stdout: `No mistakes found in ${file}.\n` });
  });

  it("names every fault with its position, even if overridden by a variable, and exits with 2", async () => {
    write('{\n  "port": "x",\n  "rutes": {},\n  "routes": { "opus": { "backend": "cli" } }\n}');
    const { code, stdout } = await config(["check"], { PORT: "1", CURLEW_LEASE_MS: "soon" });
    expect(code).toBe(2);
    expect(stdout.trim().split("\n")).toEqual([
      `${file}:2:11: port must be a whole number from 0 to 65535, not "x".`,
      `${file}:3:3: rutes is not a setting. Did you mean routes?`,
      expect.stringMatching(new RegExp(`^${file}:4:23: routes.opus must be one of .*, not \\{"backend":"cli"\\}\\.$`)),
      "CURLEW_LEASE_MS=soon (environment) must be a whole number from 1000 to 86400000.",
    ]);
  });

  it("checks only a named file, also as JSON", async () => {
    const other = join(HOME, "other.json");
    writeFileSync(other, '{\n"maxMode": 1\n}');
    const { code, stdout } = await config(["check", other, "--json"], { PORT: "bad" });
    expect(code).toBe(2);
    const message = `${other}:2:12: maxMode must be true or false, not 1.`;
    const fault = { message, setting: "maxMode", file: other, line: 2, column: 12 };
    expect(JSON.parse(stdout)).toEqual({ configFile: other, faults: [fault], warnings: [] });
    const missing = await config(["check", join(HOME, "none.json")]);
    expect([missing.code, missing.stdout]).toEqual([2, `${join(HOME, "none.json")} does not exist.\n`]);
  });
});

describe("curlew config set", () => {
  it("creates the file for its owner alone, with a schema for editors", async () => {
    const { code, stdout } = await config(["set", "port", "40000"]);
    expect([code, stdout]).toEqual([
      0,
      `port is now 40000 in ${file}.\nIt takes effect when the gateway next starts.\n`,
    ]);
    const { $schema, port } = JSON.parse(readFileSync(file, "utf8"));
    expect(port).toBe(40_000);
    expect($schema).toMatch(/^\.\.\//);
    expect(resolve(dirname(file), $schema)).toBe(join(dirname(mainFile), "curlew.schema.json"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  });

  it("changes only the range of the setting", async () => {
    const before = '\uFEFF{\r\n\t// my port\r\n\t"port":    1, // for now\r\n\t"fallback":["cli",],\r\n}\r\n';
    write(before);
    await config(["set", "port", "2"]);
    expect(readFileSync(file, "utf8")).toBe(before.replace("1, //", "2, //"));
    await config(["set", "CURLEW_LOG_LEVEL", "warn"]);
    await config(["set", "max-mode", "true"]);
    const after = readFileSync(file, "utf8");
    const kept = before.replace("1, //", "2, //").slice(0, -"}\r\n".length);
    expect(after).toBe(`${kept}\t"logLevel": "warn",\r\n\t"maxMode": true,\r\n}\r\n`);
    expect((await config(["show"])).stdout).toMatch(/^maxMode +true/m);
    expect((await config(["set", "logLevel", "--unset"])).stdout).toContain(`logLevel is no longer set in ${file}.`);
    expect((await config(["show"])).stdout).not.toContain("logLevel");
  });

  it("takes lists and pairs in the form of flags, else JSON, and paths relative to the current folder", async () => {
    await config(["set", "fallback", "cli,sdk"]);
    await config(["set", "routes", "gpt-5*=cli"]);
    await config(["set", "prices", '{"gpt-5*":{"input":1,"output":2}}']);
    await config(["set", "stateFolder", "here"]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      fallback: ["cli", "sdk"],
      routes: { "gpt-5*": "cli" },
      prices: { "gpt-5*": { input: 1, output: 2 } },
      stateFolder: resolve("here"),
    });
  });

  it("keeps concurrent changes, and reports a file that cannot be written in one sentence", async () => {
    const each = { port: 1, leaseMs: 60_000, host: "127.0.0.2", maxMode: true, logLevel: "warn", backend: "cli" };
    const set = await Promise.all(Object.entries(each).map(([name, value]) => config(["set", name, String(value)])));
    expect(set.map(({ code }) => code)).toEqual(set.map(() => 0));
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject(each);
    expect(readdirSync(dirname(file))).toEqual(["curlew.json"]);
    const failed = await config(["set", "port", "2", "--config", join(file, "below.json")]);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/^curlew: \S+below\.json cannot be written: \w+: [^\n]+\n$/),
    ]);
  });

  it("keeps a symbolic link and the file mode", async () => {
    mkdirSync(dirname(file), { recursive: true });
    const real = join(HOME, "dotfiles.json");
    writeFileSync(real, "{}\n");
    chmodSync(real, 0o640);
    symlinkSync(real, file);
    await config(["set", "port", "3"]);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ port: 3 });
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });

  it.each([
    [["prot", "1"], "prot is not a setting. Did you mean port?"],
    [["port", "x"], 'port must be a whole number from 0 to 65535, not "x".'],
    [["backend", "agnet"], 'not "agnet". Did you mean agent?'],
    [
      ["apiKey", "crsr_1"],
      "apiKey is a secret, and settings files get shared. Set the variable CURSOR_API_KEY instead.",
    ],
    [["noProxy", "a"], "noProxy is not read from the file. Set the variable no_proxy instead."],
    [["mcp", "{}"], "mcp may hold secrets"],
    [["prices", "gpt=1"], "prices has no simple form: its value must be JSON."],
    [["port"], "Missing value: curlew config set port VALUE, or curlew config set port --unset"],
    [["port", "1", "--unset"], "--unset takes no value: curlew config set port VALUE"],
  ])("refuses %j, and writes nothing", async (args, message) => {
    const { code, stderr } = await config(["set", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync(file)).toBe(false);
  });

  it("does not change a file that it cannot read", async () => {
    write("{ port: 1 }");
    const broken = await config(["set", "port", "3"]);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining(`${file}:1:3: a name or string must`)]);
    expect(readFileSync(file, "utf8")).toBe("{ port: 1 }");
  });

  it("says what keeps the value from taking effect: a variable, another fault, a running gateway", async () => {
    write('{ "leaseMs": 1 }');
    const { stdout } = await config(["set", "port", "3"], { PORT: "7" });
    expect(stdout).toContain("A gateway cannot start until this is fixed:\n");
    expect(stdout).toMatch(/curlew\.json:\d+:\d+: leaseMs must be/);
    await config(["set", "leaseMs", "--unset"]);
    const overruled = await config(["set", "port", "4"], { PORT: "7" });
    expect(overruled.stdout).toContain("It has no effect while PORT=7 (environment) is set, which overrides the file.");
    const { url } = await serveCurlew([], { env: { HOME } });
    const json = JSON.parse((await config(["set", "maxMode", "true", "--json"])).stdout);
    expect(json).toEqual({ file, name: "maxMode", value: true, overruledBy: null, faults: [], gateways: [url] });
    expect((await config(["set", "maxMode", "--unset"])).stdout).toContain(
      `The gateway at ${url} still has the old value: restart it.`,
    );
  });
});

it("serve reads an env file only with --env-file", async () => {
  const env = { HOME };
  const path = join(HOME, "serve.env");
  writeFileSync(path, "CURLEW_BACKEND=simulator\nHOST=0.0.0.0\n");
  const { code, stderr } = await runCurlew(["serve", "--port", "0", "--env-file", path], { env });
  expect(code).toBe(2);
  expect(stderr).toContain(`\nSet by HOST=0.0.0.0 (${path}:2); --host overrides it.\n`);
  const { url } = await serveCurlew(["--host", "127.0.0.1", "--env-file", path], {
    env: { ...env, CURLEW_BACKEND: "" },
  });
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ backend: "simulator" });
});
