import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setUpCli } from "../../../testing/simulator/cli-process.js";

const stand = await setUpCli();
const fine = { code: 0, signal: null, stderr: "" };

describe("the command", () => {
  it("prints its version", async () => {
    expect(await stand.machine().run(["--version"])).toEqual({ ...fine, stdout: "2026.10.01-e373342\n" });
  });

  it("prints who is signed in, with exit code 0 either way", async () => {
    const { run } = stand.machine();
    expect(await run(["status"])).toEqual({ ...fine, stdout: "\n ✓ Logged in as person@example.com\n" });
    const ansi = { ansi: true };
    expect(await run(["whoami"], { scenario: ansi })).toMatchObject({
      stdout: "\n \u001b[32m✓\u001b[39m Logged in as person@example.com\n",
    });
    const out = { loggedIn: false };
    expect(await run(["status"], { scenario: out })).toEqual({ ...fine, stdout: "\n ✗ Not logged in\n" });
  });

  it("prints that as JSON, except in old builds", async () => {
    const { run } = stand.machine();
    const { stdout } = await run(["status", "--format", "json"]);
    expect(stdout.split("\n").length).toBeGreaterThan(5);
    expect(JSON.parse(stdout)).toEqual({
      status: "authenticated",
      isAuthenticated: true,
      hasAccessToken: true,
      message: "Logged in as person@example.com",
      userInfo: { email: "person@example.com" },
    });
    const out = await run(["status", "--format", "json"], { scenario: { loggedIn: false } });
    expect(out.code).toBe(0);
    expect(JSON.parse(out.stdout)).toMatchObject({ isAuthenticated: false, message: "Not logged in" });
    expect(await run(["status", "--format", "json"], { scenario: { oldBuild: true } })).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: "error: unknown option '--format'\n",
    });
  });

  it("describes itself", async () => {
    const { run } = stand.machine();
    expect(JSON.parse((await run(["about", "--format", "json"])).stdout)).toMatchObject({
      cliVersion: "2026.10.01-e373342",
      userEmail: "person@example.com",
    });
    const out = await run(["about", "--format", "json"], { scenario: { loggedIn: false } });
    expect(JSON.parse(out.stdout)).toMatchObject({ userEmail: null });
    expect((await run(["about"])).stdout).toContain("About Cursor CLI\n\nCLI Version         2026.10.01-e373342\n");
  });

  it.each([[["models"]], [["--list-models"]]])("lists models by %j", async (args) => {
    const { stdout } = await stand.machine().run(args, { scenario: { models: ["auto", "demo-5-high"] } });
    expect(stdout).toBe(
      "Available models\n\nauto - Auto (default)\ndemo-5-high - demo-5-high\n\nTip: use --model <id> (or /model <id> in interactive mode) to switch.\n",
    );
  });

  it("makes chat ids", async () => {
    const { stdout } = await stand.machine().run(["create-chat", "--trust"]);
    expect(stdout).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\n$/);
  });

  it("signs in and out for later calls", async () => {
    const { run, start } = stand.machine();
    expect((await run(["logout"])).code).toBe(0);
    const later = (args: string[]) =>
      new Promise<string>((resolve) => start(args).stdout.on("data", (d) => resolve(`${d}`)));
    expect(await later(["status"])).toContain("Not logged in");
    const { stdout } = await run(["login"], { scenario: { loggedIn: false } });
    expect(stdout).toMatch(/https:\/\/cursor\.com\/loginDeepControl\?\S*redirectTarget=cli/);
    expect(await later(["status"])).toContain(" Logged in as");
  });
});

describe("print mode refuses", () => {
  const unauthenticated =
    "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.\n";
  const refused = { code: 1, signal: null, stdout: "" };
  const nobody = { loggedIn: false };

  it("a missing login first, then an unknown model, then an untrusted folder", async () => {
    const { run, workspace } = stand.machine();
    const wrong = ["-p", "--model", "nope"];
    expect(await run(wrong, { scenario: nobody })).toEqual({ ...refused, stderr: unauthenticated });
    expect(await run(wrong, { scenario: { models: ["auto", "demo"] } })).toEqual({
      ...refused,
      stderr: "Cannot use this model: nope. Available models: auto, demo\n",
    });
    const untrusted = await run(["-p", "--model", "auto"], { stdin: "hi" });
    expect(untrusted).toMatchObject(refused);
    expect(untrusted.stderr).toMatch(/^⚠ Workspace Trust Required\n/);
    expect(untrusted.stderr).toContain(`  ${workspace}\n`);
    expect(untrusted.stderr).toContain("--trust, --yolo or -f");
  });

  it.each([[{ CURSOR_API_KEY: "" }], [{ CURSOR_API_KEY: "crsr_bad1" }]])("the key of %j", async (env) => {
    const { stderr, ...rest } = await stand.machine().run(["-p", "--trust"], { env, stdin: "hi" });
    expect(rest).toEqual(refused);
    expect(stderr).toContain("Warning: The provided API key is invalid.");
  });

  it("with the text of the scenario", async () => {
    const scenario = { refusal: "Your macOS login keychain is locked." };
    const stderr = "Your macOS login keychain is locked.\n";
    expect(await stand.machine().run(["-p", "--trust"], { stdin: "hi", scenario })).toEqual({ ...refused, stderr });
  });

  it.each([
    [["--trust"], {}, "login"],
    [["--trust", "--api-key", "key_1"], {}, "flag"],
    [["--force"], { CURSOR_API_KEY: "key_1" }, "env"],
    [["--yolo"], { CURSOR_AUTH_TOKEN: "token" }, "env"],
  ])("nothing with %j and %j", async (args, env, source) => {
    const scenario = { loggedIn: source === "login" };
    const options = { stdin: "hi", env, scenario };
    const { stdout } = await stand.machine().run(["-p", "--output-format", "stream-json", ...args], options);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ subtype: "init", apiKeySource: source });
  });
});

it("writes nothing outside its data folder", async () => {
  const { run, data } = stand.machine();
  const { stdout } = await run(["-p", "--trust", "--output-format", "json"], { stdin: "[[say hi]]" });
  const { session_id } = JSON.parse(stdout) as { session_id: string };
  expect(readFileSync(join(data, "fake-chats", `${session_id}.json`), "utf8")).toContain("hi");
});
