import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { emptyMachine, runCurlew, startCurlew } from "../testing/programs/curlew-process.js";
import { sharedSimulator } from "../testing/simulator/shared-simulator.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";
import { browser } from "../testing/terminal/new-machine.js";

const simulator = await sharedSimulator({ login: "wait" });
let env: Record<string, string>;
beforeEach(() => {
  const { HOME = "", PATH = "" } = emptyMachine();
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(HOME, name), browser);
    chmodSync(join(HOME, name), 0o755);
  }
  env = {
    HOME,
    PATH: `${HOME}:${PATH}`,
    CURLEW_HOME: join(HOME, "curlew"),
    CURSOR_BACKEND_URL: simulator.url,
    CURSOR_WEBSITE_URL: simulator.url,
    CURLEW_CREDENTIAL_STORE: "file",
  };
});

const kept = () => {
  const file = join(env.CURLEW_HOME ?? "", "credentials.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
};
const hasPolled = () => {
  const isPoll = ({ path }: { path: string }) => path.startsWith("/auth/poll");
  return expect.poll(() => simulator.requests(50).some(isPoll)).toBe(true);
};
const dashboardCalls = () => simulator.requests(50).filter(({ path }) => path.includes("DashboardService"));

describe("curlew login", () => {
  it("opens the page, waits for approval, creates a key for 90 days and stores nothing else", async () => {
    const { code, stdout, stderr } = await runCurlew(["login"], { env });
    expect(code).toBe(0);
    expect(stderr).toContain(`${simulator.url}/loginDeepControl?challenge=`);
    const { secret, email, expiresMs, createdMs } = kept();
    expect(secret).toEqual({ kind: "api-key", apiKey: expect.stringMatching(/^crsr_/) });
    expect(expiresMs - createdMs).toBe(90 * 24 * 3_600_000);
    expect(email).toBe("owner@simulated.example");
    expect(stdout).toContain("Signed in as owner@simulated.example.");
    expect(stdout).toContain(`good until ${new Date(expiresMs).toISOString().slice(0, 10)}`);
    expect(stdout + stderr).not.toContain(secret.apiKey);
    expect(dashboardCalls().map(({ path }) => path.split("/").at(-1))).toEqual(["CreateUserApiKey", "GetMe"]);
    expect(JSON.stringify(dashboardCalls()[0])).toContain("Curlew on ");
    expect(await runCurlew(["ask", "[[say signed in]]"], { env })).toMatchObject({ code: 0, stdout: "signed in\n" });
  });

  it("stores and uses the session if no key can be created", async () => {
    simulator.configure({ mint: "refuse" });
    const { code, stdout } = await runCurlew(["login", "--json"], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "session", expires: expect.stringMatching(/^20/) });
    expect(kept().secret).toMatchObject({ kind: "session", canRenew: false });
    expect(await runCurlew(["ask", "[[say by session]]"], { env })).toMatchObject({ code: 0, stdout: "by session\n" });
    expect(simulator.stats()).toMatchObject({ exchanges: 0, refreshes: 0 });
  });

  it("reports a denial by policy, and stores nothing", async () => {
    simulator.configure({ login: "deny" });
    const { code, stderr } = await runCurlew(["login"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("Cursor denied the login");
    expect(kept()).toBeUndefined();
  });

  it.each([
    [["login", "--no-browser"], {}],
    [["login"], { NO_OPEN_BROWSER: "1" }],
  ])("%j with %o only prints the address", async (args, more) => {
    const running = startCurlew(args, { env: { ...env, ...more } });
    const [url] = await running.printed("stderr", /http:\S+/);
    await hasPolled();
    // An earlier test's browser may still be active, on its own page.
    expect(simulator.requests(50).some(({ path }) => url.endsWith(path))).toBe(false);
    const { searchParams } = new URL(url);
    const yes = { uuid: searchParams.get("uuid"), challenge: searchParams.get("challenge") };
    await postJson(new URL("/api/auth/loginDeepCallbackControl", simulator.url), yes);
    expect(await running.finished).toMatchObject({ code: 0 });
  });

  it("names the key that a second sign-in replaces, and where to revoke it", async () => {
    await runCurlew(["login"], { env });
    const first: string = kept().secret.apiKey;
    const { code, stdout, stderr } = await runCurlew(["login"], { env });
    expect(code).toBe(0);
    const hint = `crsr_...${first.slice(-4)}`;
    const day = new Date().toISOString().slice(0, 10);
    expect(stderr).toContain(`You are already signed in as owner@simulated.example.
Signing in again replaces the API key ${hint} from ${day}.
The old key stays valid until you revoke it: ${simulator.url}/dashboard
`);
    expect(stdout).toContain(`It replaces the key ${hint}, which stays valid until you revoke it: ${simulator.url}/`);
    expect(kept().secret.apiKey).not.toBe(first);
    const again = await runCurlew(["login", "--json"], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ replaced: { revokeAt: `${simulator.url}/dashboard` } });
    expect(again.stdout).not.toContain("Next");
  });

  it("says that a sign-in at another server is replaced", async () => {
    await runCurlew(["login"], { env });
    const other = await startSimulator();
    const at = { ...env, CURSOR_BACKEND_URL: other.url, CURSOR_WEBSITE_URL: other.url };
    const status = await runCurlew(["status", "--port", "1"], { env: at });
    expect(status.stdout).toMatch(
      new RegExp(`^credential +none for this server; one is kept for ${simulator.url}$`, "m"),
    );
    const { code, stdout, stderr } = await runCurlew(["login"], { env: at });
    await other.close();
    expect(code).toBe(0);
    expect(stderr).toContain(
      `A sign-in as owner@simulated.example for ${simulator.url} is stored here, and Curlew keeps only one.`,
    );
    expect(stdout).not.toContain("revoke");
  });

  it("suggests the next command", async () => {
    const alone = { ...env, PORT: "1" }; // a gateway may listen on the default port
    const say = async (...args: string[]) => (await runCurlew(args, { env: alone })).stdout;
    expect(await say("login")).toMatch(/^Next, point a client at Curlew: curlew setup\n$/m);
    await say("setup", "claude", "--yes");
    expect(await say("status")).toMatch(/\n\nNext, start the gateway: curlew\n$/);
    expect(await say("login")).toMatch(/^Next, start the gateway: curlew\n$/m);
  });

  it("continues without a browser", async () => {
    simulator.configure({ login: "approve" });
    const { code, stderr } = await runCurlew(["login"], { env: { ...env, PATH: "/nowhere" } });
    expect(code).toBe(0);
    expect(stderr).toContain("No browser could be opened here");
  });

  it("exits cleanly on Ctrl-C", async () => {
    const running = startCurlew(["login", "--no-browser"], { env });
    await hasPolled();
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.finished;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/curlew: The login was canceled. Nothing was kept.\n$/);
    expect(kept()).toBeUndefined();
  });
});
