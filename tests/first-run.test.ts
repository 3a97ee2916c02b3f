import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { emptyMachine, runCurlew } from "../testing/programs/curlew-process.js";
import { curlewOnTerminal, hasScript, keys } from "../testing/programs/on-terminal.js";
import { sharedSimulator } from "../testing/simulator/shared-simulator.js";
import { browser } from "../testing/terminal/new-machine.js";

const simulator = await sharedSimulator({ login: "wait" });
let env: Record<string, string>;
let home: string;
beforeEach(() => {
  const { HOME = "", PATH = "" } = emptyMachine();
  home = HOME;
  const bin = join(home, "bin");
  mkdirSync(bin);
  program(join(bin, "xdg-open"), browser);
  program(join(bin, "open"), browser);
  program(join(bin, "claude"), "#!/bin/sh\n");
  // Tests must not reach the services of this machine.
  for (const manager of ["systemctl", "launchctl"])
    program(join(bin, manager), "#!/bin/sh\necho no services here >&2\nexit 1\n");
  env = {
    HOME,
    PATH: `${bin}:${PATH}`,
    PORT: "0",
    CURLEW_HOME: join(home, "curlew"),
    CURSOR_BACKEND_URL: simulator.url,
    CURSOR_WEBSITE_URL: simulator.url,
    CURLEW_CREDENTIAL_STORE: "file",
  };
});

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const claudeFile = () => join(home, ".claude", "settings.json");
const credentials = () => join(home, "curlew", "credentials.json");
const { enter, down, space, ctrlC } = keys;

describe.skipIf(!hasScript)("plain curlew on a terminal, without a credential", () => {
  it("reaches the first answer with five keys", async () => {
    const person = curlewOnTerminal([], env);
    await person.until(/Sign in to Cursor[\s\S]*In the browser/);
    person.press(enter);
    expect(await person.until("Which clients should use Curlew?")).toContain("Signed in as owner@simulated.example.");
    expect(await person.until(/Claude Code \(installed\)[\s\S]*OpenCode\n/)).toBeTruthy();
    person.press(enter);
    await person.until(/Which model should they use\?[\s\S]*auto \(Cursor chooses\)/);
    person.press(enter);
    expect(await person.until("Write this file?")).toContain('"ANTHROPIC_BASE_URL"');
    expect(existsSync(claudeFile())).toBe(false);
    person.press(enter);
    expect(await person.until("Start the gateway")).toContain("To undo it: curlew setup claude --undo");
    expect(JSON.parse(readFileSync(claudeFile(), "utf8"))).toMatchObject({ env: { ANTHROPIC_MODEL: "auto" } });
    person.press(enter);
    const last = await person.until(/Ctrl-C stops the gateway[\s\S]*\d\d:\d\d:\d\d +curlew +auto/);
    expect(last).toMatch(/listens on http:\/\/127\.0\.0\.1:\d+/);
    expect(last).toMatch(/auto: \S.*\n/);
    expect(last).toContain("Open another terminal and run: claude");
    expect(simulator.stats().runs).toBe(1);
    person.press(ctrlC);
    await person.until(
      /Claude Code points here and will fail until you run curlew again\. To undo it: curlew setup claude --undo/,
    );
    expect(await person.ended).toBe(0);
  });

  it("asks again after a failure, and accepts a pasted key", async () => {
    const person = curlewOnTerminal([], env);
    await person.until("Paste an API key");
    person.press(down, enter);
    await person.until("Your Cursor API key");
    person.press("crsr_bad_0123456789", enter);
    await person.until(/Cursor refused the API key[\s\S]*Sign in to Cursor[\s\S]*● Paste an API key/);
    expect(existsSync(credentials())).toBe(false);
    person.press(enter);
    await person.until("Your Cursor API key");
    person.press("crsr_good_0123456789abcd", enter);
    await person.until(/Signed in as[\s\S]*Which clients/);
    expect(person.shown()).not.toContain("crsr_good_0123456789abcd");
    person.press(ctrlC);
    await person.until("Stopped; you are signed in. Next, point a client at Curlew: curlew setup");
    expect(await person.ended).toBe(130);
    expect(existsSync(claudeFile())).toBe(false);
  });

  it("offers logins of Cursor's own programs, and can go back to every step", async () => {
    mkdirSync(join(home, ".cursor"));
    writeFileSync(join(home, ".cursor", "auth.json"), JSON.stringify({ apiKey: "crsr_cli_0123456789abcd" }));
    const person = curlewOnTerminal([], env);
    await person.until("Copy the login of Cursor's CLI");
    person.press(down, enter);
    await person.until("Which clients");
    person.press(enter);
    await person.until("Which model");
    person.press("composer-2.5-fast");
    await person.until(/● composer-2\.5-fast/);
    person.press(enter);
    expect(await person.until("Write this file?")).toContain('"ANTHROPIC_MODEL": "composer-2.5-fast"');
    person.press(down, down, enter);
    await person.until(/Go back to[\s\S]*● Choose a model[\s\S]*Choose clients[\s\S]*Sign in to Cursor/);
    person.press(down, enter);
    await person.until(/Which clients[\s\S]*◼ Claude Code/);
    person.press(space, enter);
    await person.until(/Start the gateway[\s\S]*Not now/);
    person.press(down, down, enter);
    await person.until("To start the gateway: curlew");
    expect(await person.ended).toBe(0);
    expect(existsSync(claudeFile())).toBe(false);
  });

  it("says what another sign-in replaces, and can sign in after skipping it", async () => {
    const person = curlewOnTerminal([], { ...env, ACCESSIBLE: "1" });
    await person.until("Paste an API key");
    person.press(down, down, down, enter);
    await person.until(/◼ Claude Code/);
    person.press(space, enter);
    await person.until(/Sign in first[\s\S]*Go back/);
    person.press(enter);
    await person.until("Paste an API key");
    person.press(enter);
    await person.until(/Signed in as[\s\S]*Which clients[\s\S]*Claude Code/);
    person.press(enter);
    await person.until(/Start the gateway[\s\S]*Install it as a service[\s\S]*Go back/);
    person.press(down, down, down, enter);
    await person.until(/Go back to[\s\S]*Sign in to Cursor/);
    person.press(down, down, down, enter);
    const again = await person.until(/Stay signed in[\s\S]*Skip/);
    expect(again).toMatch(/Signing in again replaces the API key crsr_\.\.\.\w{4} from \d{4}-/);
    expect(again).not.toContain("│"); // frames would be read aloud by screen readers
    person.press(enter);
    await person.until(/Which clients[\s\S]*Claude Code/);
    person.press(ctrlC);
    expect(await person.ended).toBe(130);
    expect(simulator.stats().logins).toBe(1);
  });

  it("shows why a service cannot be installed, and asks again", async () => {
    const person = curlewOnTerminal([], env);
    await person.until("Paste an API key");
    person.press(down, enter);
    await person.until("Your Cursor API key");
    person.press("crsr_good_0123456789abcd", enter);
    await person.until(/◼ Claude Code/);
    person.press(space, enter);
    await person.until(/Start the gateway[\s\S]*Go back/);
    person.press(down, enter);
    await person.until(/no services here[\s\S]*Start the gateway[\s\S]*Not now/);
    person.press(down, down, enter);
    expect(await person.ended).toBe(0);
  });

  it("can be tried without an account, and then writes no client settings", async () => {
    const person = curlewOnTerminal([], env);
    await person.until("Try it without an account");
    person.press(down, down, enter);
    const question = await person.until(/Start the gateway[\s\S]*Go back/);
    expect(question).not.toContain("service");
    expect(question).not.toContain("Which clients");
    person.press(down, down, enter);
    await person.until(/Go back[\s\S]*Paste an API key/);
    person.press(down, down, enter);
    await person.until(/Start the gateway[\s\S]*Go back/);
    person.press(enter);
    const last = await person.until("Ctrl-C stops the gateway");
    expect(last).toContain("SIMULATED");
    expect(last).toContain("Open another terminal and try a client without changing its files: curlew run CLIENT");
    person.press(ctrlC);
    expect(await person.ended).toBe(0);
    expect(person.shown()).not.toContain("points here");
    expect(existsSync(claudeFile())).toBe(false);
    expect(existsSync(credentials())).toBe(false);
    expect(simulator.stats().runs).toBe(0);
  });

  it("Ctrl-C cancels the wait for the browser and asks again; the next one exits", async () => {
    const person = curlewOnTerminal([], { ...env, NO_OPEN_BROWSER: "1" });
    await person.until("In the browser");
    person.press(enter);
    await person.until("Waiting for you in the browser");
    person.press(ctrlC);
    await person.until(/The login was canceled. Nothing was kept.[\s\S]*In the browser/);
    person.press(ctrlC);
    await person.until("Stopped. To continue: curlew");
    expect(await person.ended).toBe(130);
    expect(existsSync(credentials())).toBe(false);
  });

  it("shows why the gateway cannot start, and asks again", async () => {
    const port = new URL(simulator.url).port;
    const person = curlewOnTerminal([], { ...env, PORT: port });
    await person.until("Try it without an account");
    person.press(down, down, enter);
    await person.until(/Start the gateway[\s\S]*Go back/);
    person.press(enter);
    await person.until(new RegExp(`${port}[\\s\\S]*Start the gateway[\\s\\S]*Not now`));
    person.press(down, enter);
    expect(await person.ended).toBe(0);
  });

  it.each([
    ["serve", [], {}],
    ["a flag", ["--port", "0"], {}],
    ["--json", ["--json"], {}],
    ["CI", [], { CI: "true" }],
    ["TERM=dumb", [], { TERM: "dumb" }],
  ])("asks nothing with %s", async (name, args, more) => {
    const person = curlewOnTerminal(name === "serve" ? ["serve"] : args, { ...env, ...more });
    expect(await person.ended).toBe(1);
    expect(person.shown()).toContain("No Cursor credential was found.");
    expect(person.shown()).not.toContain("In the browser");
  });

  it("asks nothing with a credential", async () => {
    const person = curlewOnTerminal([], { ...env, CURSOR_API_KEY: "crsr_any_0123456789abcd" });
    await person.until("listens on");
    expect(person.shown()).not.toContain("In the browser");
    person.press(ctrlC);
    expect(await person.ended).toBe(0);
  });
});

describe("plain curlew without a terminal", () => {
  it("shows the same steps as three commands", async () => {
    const { code, stderr } = await runCurlew([], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("No Cursor credential was found.");
    expect([...stderr.matchAll(/^ {2}(curlew(?: \S+)*) {2,}/gm)].map(([, command]) => command)).toEqual([
      "curlew login",
      "curlew setup CLIENT",
      "curlew",
    ]);
    expect((await runCurlew(["serve"], { env })).stderr).not.toContain("curlew setup");
  });
});
