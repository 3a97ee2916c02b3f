import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { beforeEach, describe, expect, it } from "vitest";
import { emptyMachine, runCurlew } from "../testing/programs/curlew-process.js";
import { sharedSimulator } from "../testing/simulator/shared-simulator.js";

const simulator = await sharedSimulator();
let env: Record<string, string>;
let home: string;
beforeEach(() => {
  ({ HOME: home = "" } = emptyMachine());
  const local = { CURSOR_BACKEND_URL: simulator.url, CURLEW_CREDENTIAL_STORE: "file" };
  // Makes every platform search where this test creates the files.
  env = { HOME: home, CURLEW_HOME: join(home, "curlew"), XDG_CONFIG_HOME: join(home, ".config"), ...local };
});

async function session(): Promise<string> {
  const poll = () => fetch(`${simulator.url}/auth/poll?uuid=${home}&verifier=${"v".repeat(43)}`);
  await poll();
  return ((await (await poll()).json()) as { accessToken: string }).accessToken;
}

function put(path: string, content: object): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
  return path;
}

async function putEditor(): Promise<string> {
  const isMac = process.platform === "darwin";
  const path = join(home, isMac ? "Library/Application Support" : ".config", "Cursor/User/globalStorage/state.vscdb");
  mkdirSync(dirname(path), { recursive: true });
  const database = new sqlite.Database(path);
  database.exec("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)");
  const put = (key: string, value: string) => database.run("INSERT INTO ItemTable VALUES (?, ?)", [key, value]);
  const token = await session();
  put("cursorAuth/accessToken", token);
  put("cursorAuth/refreshToken", token);
  put("cursorAuth/cachedEmail", "editor@example.org");
  database.close();
  return path;
}

const importing = (...args: string[]) => runCurlew(["login", "--import", ...args], { env });
const kept = () => JSON.parse(readFileSync(join(home, "curlew", "credentials.json"), "utf8"));

describe("curlew login --import", () => {
  it("reads nothing without consent", async () => {
    const path = put(join(home, ".cursor/auth.json"), { apiKey: "crsr_cli" });
    const { code, stderr } = await importing();
    expect(code).toBe(1);
    expect(stderr).toContain(path);
    expect(stderr).toContain("Nothing was read. To allow it without being asked: curlew login --import --yes");
    expect(simulator.stats().exchanges).toBe(0);
  });

  it("copies the key of Cursor's CLI without changing its file", async () => {
    const path = put(join(home, ".cursor/auth.json"), { apiKey: "crsr_cli_0123456789abcd" });
    const before = statSync(path);
    const { code, stdout } = await importing("--yes");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("owner@simulated.example") });
    expect(kept()).toMatchObject({ secret: { kind: "api-key" }, origin: "from Cursor's CLI" });
    expect(statSync(path)).toMatchObject({ mtimeMs: before.mtimeMs, mode: before.mode });
    expect(await runCurlew(["ask", "[[say imported]]"], { env })).toMatchObject({ code: 0, stdout: "imported\n" });
  });

  it("copies the session of Cursor's editor, and renews it", async () => {
    simulator.configure({ sessionTtlSeconds: 24 * 3_600 });
    await putEditor();
    const { code, stdout } = await importing("--yes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "session", email: "editor@example.org" });
    expect(kept()).toMatchObject({ secret: { canRenew: true }, origin: "from Cursor's editor" });
    expect(await runCurlew(["ask", "[[say as the editor]]"], { env })).toMatchObject({ stdout: "as the editor\n" });
    expect(simulator.stats().refreshes).toBe(1);
  });

  it("stores nothing that Cursor refuses", async () => {
    put(join(home, ".cursor/sdk/auth.json"), { version: 1, apiKey: "crsr_bad" });
    const { code, stderr } = await importing("--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("Cursor refused the API key from Cursor's SDK");
    expect(kept).toThrow("ENOENT");
    const claims = Buffer.from(JSON.stringify({ exp: 4_000_000_000, type: "session" })).toString("base64url");
    put(join(home, ".cursor/auth.json"), { accessToken: `eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln` });
    expect((await importing("--yes")).stderr).toContain("Cursor refuses the login of Cursor's CLI");
    expect(kept).toThrow("ENOENT");
  });

  it("gives the reason for every unusable location", async () => {
    put(join(home, ".cursor/sdk/auth.json"), { version: 1, apiKey: "crsr_a", backendUrl: "https://other.example" });
    const path = await putEditor();
    writeFileSync(`${path}-journal`, Buffer.from("d9d505f920a163d700000001", "hex"));
    const { code, stderr } = await importing("--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("its key is for another server");
    expect(stderr).toContain("the editor is writing its database just now; try again");
  });

  it("suggests a login when there is nothing to import", async () => {
    const { code, stderr } = await importing("--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("Run: curlew login");
  });
});
