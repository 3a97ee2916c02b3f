import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliChanges, cliParts } from "../../../../testing/gateway/cli-backend.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { systemClock } from "../../system/clock.js";
import { Cli } from "./cli.js";
import { useFakeCli } from "./fake-cli.cases.js";
import { modelArgument, readModels, readStatus } from "./listings.js";

const { fake, temporaryFolder } = await useFakeCli();
const opened: Cli[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  expect(await readdir(temporaryFolder)).toEqual([]);
});

function open(rest: Partial<CliChanges> = {}): Cli {
  const env = { PATH: process.env.PATH };
  const cli = new Cli(cliParts({ cliPath: fake.command, env, temporaryFolder, ...rest }));
  opened.push(cli);
  return cli;
}

const asked = (word: string) => fake.calls().filter(({ argv }) => argv.includes(word)).length;

describe("the CLI of this machine", () => {
  it("is found on the PATH, and its version is logged", async () => {
    const logged: object[] = [];
    const log = { info: (fields: object) => void logged.push(fields), warn() {} };
    const cli = open({ cliPath: undefined, env: { PATH: fake.path }, log });
    expect(await cli.find()).toMatchObject({ path: fake.command, version: "2026.10.01-e373342" });
    expect(logged).toEqual([{ path: fake.command, version: "2026.10.01-e373342" }]);
  });

  it.each([
    ["2026.10.01-e373342", true],
    ["Grok agent 1.2", false],
  ])("may be called agent if its version is Cursor's (%s)", async (version, isTaken) => {
    fake.setScenario({ version });
    const bin = join(fake.folder, "other-bin");
    await mkdir(bin, { recursive: true });
    await copyFile(fake.command, join(bin, "agent"));
    const found = open({ cliPath: undefined, env: { PATH: bin } }).find();
    if (isTaken) expect(await found).toMatchObject({ path: join(bin, "agent") });
    else await expect(found).rejects.toMatchObject({ code: "server_error" });
  });

  it("is missing when the setting does not name a program", async () => {
    const missing = open({ cliPath: join(temporaryFolder, "nothing") });
    await expect(missing.models(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: "server_error" });
  });

  it("lists its models, with `auto` under the id that other lists use", async () => {
    const models = await open().models(AbortSignal.timeout(10_000));
    expect(models[0]).toMatchObject({ id: "default", aliases: ["auto"] });
    expect(models.length).toBeGreaterThan(3);
  });

  it("gives no models without a login, and says why", async () => {
    fake.setScenario({ loggedIn: false });
    const models = open().models(AbortSignal.timeout(10_000));
    await expect(models).rejects.toMatchObject({ code: "cursor_login_required" });
  });

  it("ends all processes that it has started", async () => {
    fake.setScenario({ hangs: ["models"] });
    const cli = open();
    await cli.find();
    for (let times = 0; times < 2; times++) cli.models(new AbortController().signal).catch(() => {});
    await expect.poll(() => cli.running).toBe(2);
    await cli.close();
    expect(cli.running).toBe(0);
  });

  it("is ended when its list of models is no longer awaited", async () => {
    fake.setScenario({ hangs: ["models"] });
    const cli = open();
    await cli.find();
    await expect(cli.models(AbortSignal.timeout(300))).rejects.toMatchObject({ code: "timeout" });
    expect(cli.running).toBe(0);
  });
});

describe("its login", () => {
  it.each([
    [{ loggedIn: true }, "logged-in"],
    [{ loggedIn: false }, "logged-out"],
    [{ loggedIn: true, oldBuild: true, ansi: true }, "logged-in"],
    [{ loggedIn: false, oldBuild: true }, "logged-out"],
  ])("is known from its status: %o", async (scenario, login) => {
    fake.setScenario(scenario);
    expect(await open().login()).toBe(login);
  });

  it("is cached for a minute, unless a turn shows otherwise", async () => {
    const clock = new ManualClock();
    const cli = open({ clock: { ...systemClock, now: () => clock.now() } });
    const before = asked("status");
    await Promise.all([cli.login(), cli.login()]);
    clock.advance(59_000);
    await cli.login();
    expect(asked("status") - before).toBe(1);
    clock.advance(1_000);
    await cli.login();
    expect(asked("status") - before).toBe(2);
    cli.forgetLogin();
    await cli.login();
    expect(asked("status") - before).toBe(3);
  });

  it("is checked again soon when it is missing", async () => {
    fake.setScenario({ loggedIn: false });
    const clock = new ManualClock();
    const cli = open({ clock: { ...systemClock, now: () => clock.now() } });
    expect(await cli.login()).toBe("logged-out");
    fake.setScenario({ loggedIn: true });
    clock.advance(4_000);
    expect(await cli.login()).toBe("logged-out");
    clock.advance(1_000);
    expect(await cli.login()).toBe("logged-in");
  });

  it("is unknown when the status does not come within CURSOR_ACP_AUTH_CHECK_TIMEOUT", async () => {
    fake.setScenario({ hangs: ["status"] });
    const cli = open({ authCheckTimeoutMs: 300 });
    await cli.find();
    expect(await cli.login()).toBe("unknown");
    expect(cli.running).toBe(0);
  });

  it("is not asked for when there is a key", async () => {
    const before = asked("status");
    expect(await open({ apiKey: "crsr_1" }).login()).toBe("unknown");
    expect(asked("status")).toBe(before);
  });
});

it("starts nothing more once it is closed", async () => {
  const cli = open();
  await cli.find();
  await cli.close();
  await expect(cli.models(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: "shutting_down" });
  const workspace = await cli.workspaces.open();
  await expect(cli.start(["-p"], workspace)).rejects.toMatchObject({ code: "shutting_down" });
  await workspace.remove();
});

describe("the list of models", () => {
  it("is read from the rows alone, without marks and colours", () => {
    const listing = `\u001b[2mAvailable models\u001b[0m

\u001b[36mauto\u001b[0m - Auto (default)
demo-5-high - Demo 5  1M High
demo-5-thinking-high-fast - Demo 5 Fast (NO ZDR) (current)

Tip: use --model <id> (or /model <id> in interactive mode) to switch.
`;
    expect(readModels(listing)).toEqual([
      { id: "default", name: "Auto", aliases: ["auto"], canThink: true, canMax: false },
      { id: "demo-5-high", name: "Demo 5  1M High", aliases: [], canThink: false, canMax: false },
      { id: "demo-5-thinking-high-fast", name: "Demo 5 Fast", aliases: [], canThink: true, canMax: false },
    ]);
  });

  it.each([
    [{ id: "default", parameters: {} }, "auto"],
    [{ id: "demo-5-high", parameters: {} }, "demo-5-high"],
    [{ id: "demo-5", parameters: { effort: "high", fast: "false" } }, "demo-5[effort=high,fast=false]"],
  ])("gives for %o the argument %s", ({ id, parameters: chosen }, argument) => {
    const parameters = Object.entries(chosen).map(([name, value]) => ({ id: name, value }));
    expect(modelArgument({ id, parameters, isMax: false })).toBe(argument);
  });
});

describe("the status", () => {
  it.each([
    ['{\n  "isAuthenticated": true,\n  "status": "authenticated"\n}\n', "logged-in"],
    ['{"isAuthenticated": false, "message": "Not logged in"}', "logged-out"],
    ["\n \u001b[32m✓\u001b[0m Logged in as person@example.com\n", "logged-in"],
    ["Not logged in", "logged-out"],
    ["something else", "unknown"],
    ["", "unknown"],
  ])("%j means %s", (output, login) => {
    expect(readStatus(output)).toBe(login);
  });
});
