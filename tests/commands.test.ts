import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCurlew, serveCurlew, spawnCurlew, startCurlew } from "../testing/programs/curlew-process.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const onSimulator = { env: { CURLEW_BACKEND: "simulator" } };

describe("help and version", () => {
  it.each(["--version", "-v"])("%s prints the version of the package", async (flag) => {
    expect(await runCurlew([flag])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });
});

describe("wrong usage ends with exit code 2 and says what to do", () => {
  it.each([
    [["serv"], "Unknown command serv. Did you mean serve?"],
    [["serve", "--prot", "1"], "Unknown option --prot. Did you mean --port?"],
    [["serve", "--port"], "The option --port needs a value."],
    [["service"], "Missing command: curlew service install|"],
    [["serve", "--config", "/nowhere/curlew.json"], "/nowhere/curlew.json does not exist."],
    [["setup", "--key", "x"], "Unknown option --key. Did you mean --key-file?"],
    [["ask"], "Nothing to ask: the prompt is empty."],
    [["logs", "-n", "many"], '--lines must be a whole number from 1 to 100000, not "many".'],
    [["logs", "--since", "noon"], '--since must be a time such as 90s, 30m, 1h or 7d, not "noon".'],
    [["logs", "-f", "3f2a9c01"], "--follow shows all requests; leave out the id."],
    [["simulate", "--delta-ms", "fast"], 'The option "delta-ms" takes a whole number'],
    [["simulate", "--scenario", "/nowhere.json"], "--scenario /nowhere.json cannot be used: ENOENT"],
  ])("curlew %j", async (args, message) => {
    const { code, stdout, stderr } = await runCurlew(args);
    expect(stderr).toContain(`curlew: ${message}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("names the invalid variable", async () => {
    const { code, stderr } = await runCurlew(["models"], { env: { CURSOR_BACKEND_URL: "http://example.com" } });
    expect(code).toBe(2);
    expect(stderr).toContain("curlew: CURSOR_BACKEND_URL=http://example.com (environment) must be an https:// URL");
  });
});

describe("without a credential", () => {
  it.each([[["serve"]], [["models"]], [["ask", "hello"]]])("%j fails and names both remedies", async (args) => {
    const { code, stderr } = await runCurlew(args);
    expect(code).toBe(1);
    expect(stderr).toContain("No Cursor credential was found.");
    expect(stderr).toContain("CURSOR_API_KEY");
    expect(stderr).toContain("--backend simulator");
  });
});

describe("curlew models", () => {
  it("prints a table with auto first", async () => {
    const { code, stdout } = await runCurlew(["models", "--backend", "simulator"]);
    const [head, first, second, , opus] = stdout.split("\n");
    expect(code).toBe(0);
    expect(head).toMatch(/^ID +NAME +ALIASES +CONTEXT +CAN +PARAMETERS$/);
    expect(first).toMatch(/^auto +Auto/);
    expect(second).toMatch(/^composer-2.5 +Composer 2.5 +composer +200k +reasoning, vision$/);
    expect(opus).toMatch(/ 200k, max 1M +reasoning, vision, max +effort low\|high, context 200k\|1m$/);
  });

  it("prints JSON on demand", async () => {
    const { stdout } = await runCurlew(["models", "--json"], onSimulator);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ id: "composer-2.5", name: "Composer 2.5", canThink: true, contextTokens: 200_000 }),
    );
  });
});

describe("curlew ask", () => {
  it("streams the answer to stdout, and usage to stderr", async () => {
    const { code, stdout, stderr } = await runCurlew(["ask", "[[say Curlews", "wade.]]"], onSimulator);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Curlews wade.\n" });
    expect(stderr).toMatch(/^simulated answer:\nauto: \d+ tokens in.*, \d+ out\n$/);
  });

  it("takes the prompt from stdin", async () => {
    const { stdout } = await runCurlew(["ask"], { ...onSimulator, stdin: "please [[say from a pipe]]" });
    expect(stdout).toBe("from a pipe\n");
  });

  it("takes a prompt that begins with a dash after --", async () => {
    const { stdout } = await runCurlew(["ask", "--", "--help", "[[say fine]]"], onSimulator);
    expect(stdout).toBe("fine\n");
  });

  it("passes system prompt and model on", async () => {
    const args = ["ask", "--system", "You are a wader.", "--model", "composer", "--json", "Who are you?"];
    const answer = JSON.parse((await runCurlew(args, onSimulator)).stdout);
    expect(answer).toMatchObject({ model: "composer-2.5", backend: "simulator", finish: "stop" });
    expect(answer.text).toContain("You are a wader.");
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
  });

  it("outside a terminal, shows thinking on stderr only with --thinking", async () => {
    const prompt = "[[think deep]] [[say done]]";
    expect((await runCurlew(["ask", prompt], onSimulator)).stderr).not.toContain("deep");
    const shown = await runCurlew(["ask", "--thinking", prompt], onSimulator);
    expect(shown.stderr).toContain("deep");
    expect(shown.stdout).toBe("done\n");
  });

  it("fails with the gateway's own message", async () => {
    const { code, stderr } = await runCurlew(["ask", "--model", "compozer-2.5", "hello"], onSimulator);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "curlew: The model `compozer-2.5` is not in your Cursor list. Did you mean `composer-2.5`",
    );
  });

  it("exits at once and quietly on Ctrl-C", async () => {
    const asking = spawnCurlew(["ask", "[[say first]] [[wait 60000]] [[say last]]"], onSimulator);
    await asking.printed("stdout", /first/);
    asking.signal("SIGINT");
    const { code, stdout, stderr } = await asking.finished;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "first" });
    expect(stderr).toBe("simulated answer:\n");
  });
});

describe("a reader that closes the pipe", () => {
  it.each([
    ["before the first line", ["serve", "--help"], /^/],
    ["in the middle of an answer", ["ask", "[[stream 500000]]"], /2 /],
  ])("is not an error %s", async (_, args, seen) => {
    const running = spawnCurlew(args, onSimulator);
    await running.printed("stdout", seen);
    running.process.stdout?.destroy();
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).not.toContain("EPIPE");
  });
});

describe("curlew status", () => {
  it("reports a missing credential, with the next step", async () => {
    const { code, stdout } = await runCurlew(["status", "--port", "1"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^credential +none$/m);
    expect(stdout).toMatch(/^check +No Cursor credential was found.*CURSOR_API_KEY/m);
    expect(stdout).toMatch(/^gateway +none at http:\/\/127\.0\.0\.1:1$/m);
    expect(stdout).toMatch(/^settings +\S+curlew\.json \(not created\)$/m);
    expect(stdout).toMatch(/\n\nNext, sign in to Cursor: curlew login\n$/);
  });

  it("checks the key at Cursor, and never shows it", async () => {
    const simulator = startCurlew(["simulate"]);
    const [, url = ""] = await simulator.printed("stdout", /^(.*)\n/);
    const env = { CURSOR_BACKEND_URL: url, CURSOR_API_KEY: "crsr_0123456789abcdefwxyz" };
    const { code, stdout } = await runCurlew(["status", "--json", "--port", "1"], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      version: manifest.version,
      credential: { kind: "API key", from: "environment variable CURSOR_API_KEY", hint: "crsr_...wxyz" },
      auth: "authenticated",
      tokenExpires: expect.stringMatching(/^\d{4}-/),
      backendUrl: url,
      gateway: { isRunning: false },
    });
    expect(stdout).not.toContain("0123456789");

    const bad = { env: { ...env, CURSOR_API_KEY: "crsr_bad_key" } };
    expect((await runCurlew(["status"], bad)).stdout).toMatch(/^Next, find out what is wrong: curlew doctor$/m);
    const refused = await runCurlew(["status", "--json"], bad);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      auth: "not_authenticated",
      problem: expect.stringContaining("Cursor refused the API key"),
    });
  });

  it("finds a running gateway", async () => {
    const { url } = await serveCurlew();
    const { stdout } = await runCurlew(["status", "--port", new URL(url).port], onSimulator);
    expect(stdout).toMatch(new RegExp(`^gateway +${manifest.version} runs at ${url} \\(simulator\\)$`, "m"));
  });
});

describe("curlew simulate", () => {
  it("prints its URL first, prefers flags over the scenario, and stops on a signal", async () => {
    const scenario = join(temporaryFolder(), "scenario.json");
    writeFileSync(scenario, JSON.stringify({ deltaMs: 7, tokenTtlSeconds: 5, like: "live" }));
    const flags = ["--token-ttl", "9", "--gzip", "--call-counts", "false", "--dynamic-tools"];
    const simulator = startCurlew(["simulate", "--scenario", scenario, ...flags]);
    const [, url] = await simulator.printed("stdout", /^(http:\/\/127\.0\.0\.1:\d+)\n/);
    const config = await fetch(`${url}/__sim/config`).then((response) => response.json());
    expect(config).toMatchObject({ deltaMs: 7, tokenTtlSeconds: 9, gzip: true, drift: false });
    expect(config).toMatchObject({ messageTimes: true, callCounts: false, dynamicTools: true });
    simulator.signal("SIGTERM");
    expect((await simulator.finished).code).toBe(0);
  });

  it("says that its port is in use", async () => {
    const first = startCurlew(["simulate"]);
    const [, port = ""] = await first.printed("stdout", /:(\d+)\n/);
    const { code, stderr } = await runCurlew(["simulate", "--port", port]);
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use.`);
  });
});
