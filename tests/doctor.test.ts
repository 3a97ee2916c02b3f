import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SimulatorStart } from "../packages/simulator/index.js";
import { type Published, serveRegistry, tarOf } from "../testing/official-sdk/npm-registry.js";
import { writtenBundle } from "../testing/official-sdk/written-bundle.js";
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

/** A package with these messages, which is never run. */
function installSdk(version: string, bundle: string): string {
  const folder = join(newHome(), "node_modules", "@cursor", "sdk");
  const manifest = { name: "@cursor/sdk", version, module: "./dist/esm/index.js" };
  mkdirSync(join(folder, "dist", "bundled"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "dist", "bundled", "index.js"), bundle);
  return folder;
}

const bundle = `${writtenBundle()};throw new Error("must not run");`;
const withMood = bundle.replace("TextDeltaUpdate|", "TextDeltaUpdate|9 mood 9|");
const withOtherText = bundle.replace("UserMessage|1 text 9", "UserMessage|1 text 12");

describe("an installed SDK", () => {
  it.each([
    ["that is newer and has new fields", "9.8.7", withMood, "ok", "agent.v1.TextDeltaUpdate 9 string mood."],
    ["that is newer and has none", "9.8.7", bundle, "ok", "sdk-9.8.7 has no field that Curlew does not know."],
    [
      "that changes what Curlew sends",
      "9.8.7",
      withOtherText,
      "warn",
      "agent.v1.UserMessage 1 string text is now bytes text.",
    ],
    ["in another form", "9.8.7", "const it = 1", "skipped", "0 of 0 messages can be read"],
    ["that is too large", "9.8.7", " ".repeat(17 << 20), "skipped", "is larger than 16 MiB"],
  ])("%s is named before a turn is spent", async (_name, version, code, status, why) => {
    const examined = await examine({}, [], { CURLEW_SDK_PATH: installSdk(version, code) });
    expect(examined.code).toBe(0);
    const told: unknown = expect.objectContaining({ check: "fields", status, why: expect.stringContaining(why) });
    expect(examined.report.findings).toContainEqual(told);
    expect(examined.simulator.stats().runs).toBe(0);
  });

  it.each([
    ["that Curlew knows", sampleProfile.clients.sdk.version.slice("sdk-".length), withMood],
    ["that is older", "0.9.9", withMood],
  ])("%s is not read", async (_name, version, code) => {
    const { finding } = await examine({}, [], { CURLEW_SDK_PATH: installSdk(version, code) });
    expect(finding("fields")).toBeUndefined();
  });
});

it("a newer CLI whose code has the form of the SDK's is read, too", async () => {
  const cli = await installFakeCli({ version: "2030.01.02-abc1234" });
  onTestFinished(() => rmSync(cli.folder, { recursive: true, force: true }));
  writeFileSync(join(dirname(realpathSync(cli.command)), "index.js"), withMood);
  const { finding } = await examine({}, [], { CURLEW_CLI_PATH: cli.command });
  const why = expect.stringContaining("cli-2030.01.02-abc1234 has fields new to Curlew: agent.v1.TextDelta");
  expect(finding("fields")).toMatchObject({ status: "ok", why });
});

describe("curlew doctor --update-profile", () => {
  const update = (registry: string, env: Record<string, string> = {}) =>
    examine({}, ["--update-profile"], { npm_config_registry: registry, ...env });
  const overlayIn = (home: string) => JSON.parse(readFileSync(join(home, "cursor.json"), "utf8"));
  const today = () => new Date().toISOString().slice(0, 10);
  const source = "npm; all that Curlew sends has the same form in it";

  it("takes npm's newest SDK if it sends what Curlew sends in the same form, and claims it at once", async () => {
    const { url, asked } = await serveRegistry({ version: "9.8.7", bundle: withMood });
    const { home, finding, simulator, stderr } = await update(url);
    expect(stderr).toContain(`Asking ${new URL(url).origin} for the newest @cursor/sdk`);
    expect(asked.map(({ path }) => path)).toEqual(["/npm/@cursor%2fsdk", "/npm/@cursor/sdk/-/sdk-9.8.7.tgz"]);
    expect(finding("update")).toMatchObject({ status: "ok", why: expect.stringContaining("is now in") });
    const sdk = { version: "sdk-9.8.7", seen: today(), source };
    expect(overlayIn(home)).toEqual({ updated: today(), agentClient: "sdk", clients: { sdk } });
    expect(statSync(join(home, "cursor.json")).mode & 0o077).toBe(0);
    expect(finding("client version")?.why).toContain("sdk-9.8.7");
    const versions = simulator.requests(50).map(({ headers }) => headers["x-cursor-client-version"]);
    expect(versions).toContain("sdk-9.8.7");
  });

  it("keeps what the owner wrote", async () => {
    const home = newHome();
    const own = {
      families: { mine: { match: ["mine-*"], dynamicTools: true } },
      clients: { cli: { userAgent: "mine" }, sdk: { userAgent: "my-sdk" } },
    };
    writeFileSync(join(home, "cursor.json"), JSON.stringify(own), { mode: 0o600 });
    const { url } = await serveRegistry({ version: "9.8.7", bundle });
    await update(url, { CURLEW_HOME: home });
    const sdk = { userAgent: "my-sdk", version: "sdk-9.8.7", seen: today(), source };
    expect(overlayIn(home)).toMatchObject({ families: own.families, clients: { cli: own.clients.cli, sdk } });
  });

  it("names the fields and leaves the profile alone if what Curlew sends has changed", async () => {
    const { url } = await serveRegistry({ version: "9.8.7", bundle: withOtherText });
    const { home, finding } = await update(url);
    const why = expect.stringMatching(
      /^sdk-9\.8\.7 is not taken.*agent\.v1\.UserMessage 1 string text is now bytes text/,
    );
    expect(finding("update")).toMatchObject({ status: "warn", why });
    expect(existsSync(join(home, "cursor.json"))).toBe(false);
  });

  it("downloads nothing that is not newer", async () => {
    const { url, asked } = await serveRegistry({ version: "1.0.9", bundle });
    const { home, finding } = await update(url);
    expect(finding("update")).toMatchObject({ status: "ok", why: expect.stringContaining("The newest is sdk-1.0.9") });
    expect(asked).toHaveLength(1);
    expect(existsSync(join(home, "cursor.json"))).toBe(false);
  });

  const empty = { version: "9.8.7", bundle: "" };
  it.each<[string, Published, string]>([
    ["another content than is listed", { ...empty, integrity: "sha512-AAAA" }, "not the one that the registry lists"],
    ["no integrity", { ...empty, bundle, integrity: "" }, "not the one that the registry lists"],
    ["a weak integrity alone", { ...empty, bundle, integrity: "sha1-AAAA" }, "not the one that the registry lists"],
    [
      "much more in it than it seems",
      { ...empty, tarball: gzipSync(Buffer.alloc(97 << 20)) },
      "Cannot create a Buffer",
    ],
    ["more bytes than are read", { ...empty, tarball: Buffer.alloc(17 << 20) }, "more than 16777216 bytes"],
    ["no archive", { ...empty, tarball: Buffer.from("hello") }, "incorrect header check"],
    [
      "an archive without descriptors",
      { ...empty, tarball: gzipSync(tarOf("package/x.js", "1")) },
      "has no package/dist",
    ],
    ["an archive whose sizes lead back", { ...empty, tarball: gzipSync(backwards()) }, "has no package/dist"],
    ["descriptors in another form", { ...empty, bundle: "const it = 1;" }, "0 of 0 messages can be read"],
    ["another host", { ...empty, bundle, origin: "http://127.0.0.2:9" }, "on another host, 127.0.0.2:9"],
    ["an invalid version", { version: "9+them", bundle }, "clients.sdk.version must be"],
  ])("leaves the profile alone for a package with %s", async (_name, published, why) => {
    const { url } = await serveRegistry(published);
    const { home, finding, code } = await update(url);
    expect(finding("update")).toMatchObject({ status: "fail", why: expect.stringContaining(why) });
    expect(code).toBe(1);
    expect(existsSync(join(home, "cursor.json"))).toBe(false);
  });

  it.each([
    ["no registry answers", "http://127.0.0.1:9", "ECONNREFUSED"],
    ["the address is none", "nowhere", "Invalid URL"],
  ])("leaves the profile alone if %s", async (_name, registry, why) => {
    const { home, finding } = await update(registry);
    expect(finding("update")).toMatchObject({ status: "fail", why: expect.stringContaining(why) });
    expect(existsSync(join(home, "cursor.json"))).toBe(false);
  });

  it.each([
    ["of npm's settings file", (url: string) => `registry = ${url}/\n`],
    ["of the scope before it", (url: string) => `registry=http://127.0.0.1:9/\n@cursor:registry=${url}\n`],
  ])("asks the registry %s, without its token", async (_name, settings) => {
    const { url, asked } = await serveRegistry({ version: "9.8.7", bundle });
    const home = newHome();
    const token = `//${new URL(url).host}/npm/:_authToken=secret-of-npm\n`;
    writeFileSync(join(home, ".npmrc"), settings(url) + token);
    const { finding } = await update("", { HOME: home });
    expect(finding("update")?.status).toBe("ok");
    expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  function backwards(): Buffer {
    const tar = tarOf("package/x.js", "1");
    tar.write("-7777777777\0", 124);
    return tar;
  }
});
