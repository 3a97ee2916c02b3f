import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SimulatorStart } from "../packages/simulator/index.js";
import { runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { sampleProfile } from "../testing/samples/sample-profile.js";
import { installFakeCli } from "../testing/simulator/installed-cli.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

interface Report {
  readonly findings: readonly { check: string; status: string; why: string; fix: string | null }[];
  readonly probes: readonly { name: string; status: string; note: string; answer?: string }[] | null;
  readonly report: string | null;
}

const key = "crsr_doctor_0123456789abcdef";

const newHome = () => temporaryFolder();

async function examine(simulated: SimulatorStart, args: readonly string[] = [], more: Record<string, string> = {}) {
  const simulator = await openSimulator(simulated);
  const env = { CURLEW_HOME: newHome(), CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: key, PORT: "0", ...more };
  const { code, stdout, stderr } = await runCurlew(["doctor", "--json", ...args], { env });
  const report: Report = JSON.parse(stdout);
  const finding = (check: string) => report.findings.find((each) => each.check === check);
  const probe = (name: string) => report.probes?.find((each) => each.name === name);
  return { code, stdout, stderr, report, finding, probe, simulator, home: env.CURLEW_HOME };
}

describe("curlew doctor", () => {
  it("passes all checks without a run", async () => {
    const { code, report, simulator } = await examine({});
    expect(code).toBe(0);
    expect(report.findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
      "node ok",
      "settings ok",
      expect.stringMatching(/^profile (ok|warn)$/), // depends on the date
      "store ok",
      "port ok",
      "clock ok",
      "token ok",
      "client version ok",
      "models ok",
      "privacy ok",
      "agent host ok",
      "http/2 ok",
    ]);
    expect(report.probes).toBeNull();
    expect(simulator.stats().runs).toBe(0);
  });

  it("prints one line per check, without colours in a pipe", async () => {
    const { code, stdout } = await runCurlew(["doctor", "--backend", "simulator", "--port", "0"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +token +Expires in \d+ minutes and is renewed automatically\.$/m);
    expect(stdout).toMatch(/^ok +http\/2 +http:\/\/127\.0\.0\.1:\d+ answers a PING in \d+ ms/m);
    expect(stdout).toMatch(/^All checks passed\.\nNext, point a client at Curlew: curlew setup\n$/m);
    expect(stdout).not.toContain("\u001B");
  });

  it.each([
    ["a refused key", { exchange: "refuse" }, {}, "token", "unset CURSOR_API_KEY && curlew login"],
    ["tokens that have ended", { tokenTtlSeconds: 0 }, {}, "token", "unset CURSOR_API_KEY && curlew login"],
    [
      "versions that Cursor no longer takes",
      { deniedVersions: ["cli-2026.10.01-0000000", sampleProfile.clients.sdk.version] },
      { CURSOR_CLIENT_VERSION: "cli-2026.10.01-0000000" },
      "client version",
      'export CURSOR_CLIENT_VERSION="cli-$(cursor-agent --version)"',
    ],
    [
      "versions in the package that Cursor no longer takes",
      { deniedVersions: [sampleProfile.clients.cli.version, sampleProfile.clients.sdk.version] },
      {},
      "client version",
      "curlew doctor --update-profile",
    ],
    [
      "an agent host that is not there",
      {},
      { CURSOR_AGENT_URL: "http://127.0.0.1:9" },
      "http/2",
      "curl -v --http2 http://127.0.0.1:9",
    ],
  ] as const)("names the command for %s", async (_, simulated, env, check, fix) => {
    const { code, finding, stdout } = await examine(simulated as SimulatorStart, [], env);
    expect(code).toBe(1);
    expect(finding(check)).toMatchObject({ status: "fail", fix });
    expect(stdout).not.toContain(key);
  });

  it("warns about a version that Cursor no longer takes if it takes the newest that Curlew speaks", async () => {
    const { cli, sdk } = sampleProfile.clients;
    const { code, finding } = await examine({ deniedVersions: [cli.version] });
    expect(code).toBe(0);
    const why = `Cursor no longer accepts ${cli.version}. It accepts ${sdk.version}, which Curlew then claims.`;
    expect(finding("client version")).toMatchObject({ status: "warn", why, fix: "curlew doctor --update-profile" });
    expect(finding("models")?.status).toBe("ok");
  });

  it.each([
    ["auto", "ok"],
    ["h2", "warn"],
  ])("reports Cursor's advice against HTTP/2 when the transport is %s", async (transport, status) => {
    const { code, finding } = await examine({ transport: "h1" }, [], { CURLEW_TRANSPORT: transport });
    expect(code).toBe(0);
    expect(finding("transport")).toMatchObject({ status, why: expect.stringContaining("HTTP/1.1") });
  });

  it.each([
    [1, "Privacy mode is on."],
    [3, "Privacy mode is off: Cursor may learn from what you send."],
  ] as const)("reports privacy mode %s", async (privacyMode, why) => {
    const { finding } = await examine({ privacyMode });
    expect(finding("privacy")).toMatchObject({ status: "ok", why });
  });

  it("suggests updating the Cursor CLI when its version is the refused one", async () => {
    const machine = newHome();
    mkdirSync(join(machine, ".local", "share", "cursor-agent", "versions", "2026.11.01-abcdef0"), { recursive: true });
    const deniedVersions = ["cli-2026.11.01-abcdef0", sampleProfile.clients.sdk.version];
    const { code, finding } = await examine({ deniedVersions }, [], { HOME: machine });
    expect(code).toBe(1);
    expect(finding("client version")).toMatchObject({ status: "fail", fix: "cursor-agent update" });
  });

  it("runs the other checks without a credential", async () => {
    const { code, stdout } = await runCurlew(["doctor", "--port", "0"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +token +No Cursor credential was found/m);
    expect(stdout).toMatch(/^ +Run: curlew login$/m);
    expect(stdout).toMatch(/^ok +store /m);
  });

  it("reports what a backend lacks, and a report that cannot be written", async () => {
    const backend = await runCurlew(["doctor", "--port", "0", "--backend", "cli", "--cli-path", "/nowhere/agent"]);
    expect(backend.stdout).toMatch(/^fail +cli +The Cursor CLI was not found/m);
    expect(backend.stdout).not.toMatch(/^\w+ +token/m);
    const report = await runCurlew(["doctor", "--port", "0", "--report", "/dev/null/report.json"]);
    expect(report.code).toBe(1);
    expect(report.stderr).toMatch(/^curlew: The report cannot be written: /);
  });

  it("reports invalid settings, and a settings file that others can write", async () => {
    const home = newHome();
    writeFileSync(join(home, "curlew.json"), '{"port": "many"}', { mode: 0o600 });
    const refused = await runCurlew(["doctor"], { env: { CURLEW_HOME: home } });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^fail +settings +.*curlew\.json:1:10: port must be a whole number/m);

    writeFileSync(join(home, "curlew.json"), '{"port": 0}');
    chmodSync(join(home, "curlew.json"), 0o666);
    const open = await runCurlew(["doctor", "--backend", "simulator"], { env: { CURLEW_HOME: home } });
    expect(open.stdout).toMatch(/^fail +settings +Other users can write/m);
    expect(open.stdout).toContain(`Run: chmod 600 ${join(home, "curlew.json")}`);
  });

  it("detects a store that others can read, and one that cannot be created", async () => {
    const home = newHome();
    mkdirSync(join(home, "state"));
    chmodSync(join(home, "state"), 0o755);
    const env = { CURLEW_HOME: home, CURLEW_BACKEND: "simulator", PORT: "0" };
    const open = await runCurlew(["doctor"], { env });
    expect(open.code).toBe(1);
    expect(open.stdout).toContain(`Run: chmod -R go= ${join(home, "state")}`);

    writeFileSync(join(home, "file"), "");
    const none = await runCurlew(["doctor", "--state-folder", join(home, "file", "state")], { env });
    expect(none.code).toBe(1);
    expect(none.stdout).toMatch(/^fail +store /m);
  });

  it("distinguishes a gateway from another program on the port", async () => {
    const { url } = await serveCurlew();
    const ours = await runCurlew(["doctor", "--backend", "simulator", "--port", new URL(url).port]);
    expect(ours.stdout).toMatch(/^ok +port +A gateway runs at \d+ on 127\.0\.0\.1 \(simulator\)\.$/m);

    const stranger = await openSimulator();
    const theirs = await runCurlew(["doctor", "--backend", "simulator", "--port", new URL(stranger.url).port]);
    expect(theirs.code).toBe(1);
    expect(theirs.stdout).toMatch(/^fail +port +Port \d+ on 127\.0\.0\.1 is in use\./m);
    expect(theirs.stdout).toContain("Run: curlew serve --port 0");
  });
});

describe("curlew doctor --update-profile", () => {
  /** A folder with an SDK of this version, which is never run. */
  function installSdk(version: string): string {
    const folder = join(newHome(), "node_modules", "@cursor", "sdk");
    mkdirSync(folder, { recursive: true });
    const manifest = { name: "@cursor/sdk", version, module: "./index.js" };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "index.js"), "throw new Error('must not run');");
    return folder;
  }

  const update = (env: Record<string, string>) => examine({}, ["--update-profile"], env);
  const overlayIn = (home: string) => JSON.parse(readFileSync(join(home, "cursor.json"), "utf8"));
  const today = () => new Date().toISOString().slice(0, 10);

  it("adopts the versions of the installed CLI and SDK, and uses the CLI's at once", async () => {
    const cli = await installFakeCli({ version: "2030.01.02-abc1234" });
    onTestFinished(() => rmSync(cli.folder, { recursive: true, force: true }));
    const env = { CURLEW_CLI_PATH: cli.command, CURLEW_SDK_PATH: installSdk("9.8.7") };
    const { home, finding, simulator } = await update(env);
    expect(finding("update")).toMatchObject({
      status: "ok",
      why: expect.stringContaining("cli-2030.01.02-abc1234 and sdk-9.8.7 are now in"),
    });
    expect(overlayIn(home)).toEqual({
      updated: today(),
      clients: {
        cli: { version: "cli-2030.01.02-abc1234", seen: today(), source: "installed here" },
        sdk: { version: "sdk-9.8.7", seen: today(), source: "installed here" },
      },
    });
    expect(statSync(join(home, "cursor.json")).mode & 0o077).toBe(0);
    expect(finding("profile")?.status).toBe("ok");
    expect(finding("client version")?.why).toContain("cli-2030.01.02-abc1234");
    const versions = simulator.requests(50).map(({ headers }) => headers["x-cursor-client-version"]);
    expect(versions).toContain("cli-2030.01.02-abc1234");
  });

  it("switches to the SDK without a CLI, and keeps what the owner wrote", async () => {
    const home = newHome();
    const own = {
      families: { mine: { match: ["mine-*"], dynamicTools: true } },
      clients: { cli: { userAgent: "mine" } },
    };
    writeFileSync(join(home, "cursor.json"), JSON.stringify(own), { mode: 0o600 });
    const env = { CURLEW_HOME: home, CURLEW_CLI_PATH: "/nowhere/agent", CURLEW_SDK_PATH: installSdk("9.8.7") };
    const { finding } = await update(env);
    expect(overlayIn(home)).toEqual({
      ...own,
      updated: today(),
      agentClient: "sdk",
      clients: { ...own.clients, sdk: { version: "sdk-9.8.7", seen: today(), source: "installed here" } },
    });
    expect(finding("client version")?.why).toContain("sdk-9.8.7");
  });

  it("does not adopt an older version than the known one", async () => {
    const { home, finding } = await update({ CURLEW_CLI_PATH: "/nowhere/agent", CURLEW_SDK_PATH: installSdk("0.9.9") });
    expect(finding("update")).toMatchObject({
      status: "ok",
      why: expect.stringContaining("No newer version is installed here"),
    });
    expect(existsSync(join(home, "cursor.json"))).toBe(false);
  });

  it("does not write an invalid version", async () => {
    const { home, finding, code } = await update({
      CURLEW_CLI_PATH: "/nowhere/agent",
      CURLEW_SDK_PATH: installSdk("9 of them"),
    });
    expect(finding("update")).toMatchObject({
      status: "fail",
      why: expect.stringContaining("clients.sdk.version must be"),
    });
    expect(code).toBe(1);
    expect(existsSync(join(home, "cursor.json"))).toBe(false);
  });

  it("reports that neither CLI nor SDK is installed", async () => {
    const { finding } = await update({ CURLEW_CLI_PATH: "/nowhere/agent", CURLEW_SDK_PATH: "/nowhere" });
    expect(finding("update")).toMatchObject({ status: "fail", fix: "npm install @cursor/sdk" });
  });
});
