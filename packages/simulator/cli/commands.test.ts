import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setUpCli } from "../../../testing/simulator/cli-process.js";

const stand = await setUpCli();

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
