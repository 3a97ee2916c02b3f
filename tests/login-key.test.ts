import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { emptyMachine, runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { sharedSimulator } from "../testing/simulator/shared-simulator.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const simulator = await sharedSimulator();
let env: Record<string, string>;
beforeEach(() => {
  env = {
    CURLEW_HOME: join(emptyMachine().HOME ?? "", "curlew"),
    CURSOR_BACKEND_URL: simulator.url,
    CURLEW_CREDENTIAL_STORE: "file",
  };
});

const key = "crsr_0123456789abcdefgh";
const logIn = (stdin = `${key}\n`, args: readonly string[] = []) =>
  runCurlew(["login", "--api-key", ...args], { env, stdin });

describe("curlew login --api-key", () => {
  it("stores a key that Cursor accepts, readable only by the owner", async () => {
    const { code, stdout, stderr } = await logIn();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const file = join(env.CURLEW_HOME ?? "", "credentials.json");
    expect(stdout).toContain("Signed in as owner@simulated.example.");
    expect(stdout).toContain(`The API key crsr_...efgh is kept in ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(env.CURLEW_HOME ?? "").mode & 0o777).toBe(0o700);
    expect(readFileSync(file, "utf8")).toContain(key);
    expect(stdout).not.toContain(key);
  });

  it("prints JSON, without the key", async () => {
    const { stdout } = await logIn(key, ["--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "api-key",
      email: "owner@simulated.example",
      hint: "crsr_...efgh",
      expires: null,
      place: "file",
    });
  });

  it.each([
    ["crsr_bad_key", 1, "Cursor refused the API key from your input: it is wrong, revoked or expired."],
    ["crsr_policy", 1, "your organisation's sign-in policy forbids it"],
    ["", 2, "No API key was given."],
    ["crsr_two words", 2, "An API key is one line without spaces."],
    ["eyJhbGciOiJIUzI1NiJ9.e30.c2ln", 2, "That is an access token, not an API key"],
  ])("stores nothing for %j", async (given, exitCode, message) => {
    const { code, stderr } = await logIn(given);
    expect(code).toBe(exitCode);
    expect(stderr).toContain(message);
    if (given !== "") expect(stderr).not.toContain(given);
    expect((await runCurlew(["status", "--json"], { env })).stdout).toContain('"credential": null');
  });
});

describe("a running gateway", () => {
  const ask = async (url: string) => {
    const messages = [{ role: "user", content: "[[say fine]]" }];
    const response = await postJson(`${url}/v1/chat/completions`, { model: "auto", messages });
    return { status: response.status, text: await response.text() };
  };

  it("recovers with the command that its 401 names, without a restart", async () => {
    await logIn("crsr_laterbad");
    simulator.configure({ exchange: "refuse" });
    const { url } = await serveCurlew([], { env: { ...env, CURLEW_BACKEND: "auto" } });
    for (let round = 0; round < 2; round++) {
      expect(await ask(url)).toMatchObject({ status: 401, text: expect.stringContaining("Run: curlew login") });
    }
    expect(simulator.stats().exchanges).toBe(2);
    simulator.configure({ exchange: "ok" });
    expect(await ask(url)).toMatchObject({ status: 401 }); // the refusal was final
    await logIn();
    expect(await ask(url)).toMatchObject({ status: 200, text: expect.stringContaining("fine") });
  });
});

describe("curlew status", () => {
  const credential = async (more: Record<string, string> = {}) => {
    const { stdout } = await runCurlew(["status", "--json"], { env: { ...env, ...more } });
    return JSON.parse(stdout).credential;
  };

  it("shows the effective credential: a key, then a token, then the store", async () => {
    expect(await credential()).toBeNull();
    await logIn();
    expect(await credential()).toMatchObject({
      kind: "API key",
      hint: "crsr_...efgh",
      email: "owner@simulated.example",
    });
    expect((await credential()).from).toContain("credentials.json (given by you)");
    const token = { CURSOR_ACCESS_TOKEN: "eyJh.e30.c2ln" };
    expect(await credential(token)).toMatchObject({
      kind: "access token",
      from: "environment variable CURSOR_ACCESS_TOKEN",
    });
    expect(await credential({ ...token, CURSOR_API_KEY: "crsr_variable" })).toMatchObject({
      kind: "API key",
      from: "environment variable CURSOR_API_KEY",
    });
  });

  it("never sends a credential to another server", async () => {
    await logIn();
    const elsewhere = await startSimulator();
    expect(await credential({ CURSOR_BACKEND_URL: elsewhere.url })).toBeNull();
    expect(elsewhere.stats().exchanges).toBe(0);
    await elsewhere.close();
  });
});

describe("curlew logout", () => {
  it("removes the credential and says where to revoke the key", async () => {
    await logIn();
    const { code, stdout } = await runCurlew(["logout"], { env: { ...env, CURSOR_API_KEY: "crsr_variable" } });
    expect(code).toBe(0);
    expect(stdout).toContain("Curlew's credential is removed from this machine.");
    expect(stdout).toContain("until you revoke it: https://cursor.com/dashboard");
    expect(stdout).toContain("CURSOR_API_KEY is still set");
    expect((await runCurlew(["logout", "--json"], { env })).stdout).toContain('"removed": false');
    const { stderr } = await runCurlew(["models"], { env });
    expect(stderr).toContain("No Cursor credential was found. Run curlew login");
  });
});
