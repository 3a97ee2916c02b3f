import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { findForeign, foreignLocations, type RunProgram } from "./find-foreign.js";
import { cursorLocations } from "./locations.js";

const nowMs = 1_800_000_000_000;
const cursor = "https://api2.cursor.sh";
let home: string;
beforeEach(() => {
  home = temporaryFolder();
});

function jwt(claims: object): string {
  return `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}
const session = jwt({ exp: nowMs / 1_000 + 3_600, type: "session" });

function put(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

const noKeychain: RunProgram = async () => ({ code: 44, stdout: "" });
/** A Keychain with these items, and the list of requested items. */
function keychain(items: Record<string, string>): { run: RunProgram; asked: string[] } {
  const asked: string[] = [];
  const run: RunProgram = async (program, args) => {
    asked.push([program, ...args].join(" "));
    const item = items[args[2] ?? ""];
    return item === undefined ? { code: 44, stdout: "" } : { code: 0, stdout: `${item}\n` };
  };
  return { run, asked };
}

const search = (locations: ReturnType<typeof cursorLocations>, run = noKeychain) =>
  findForeign(foreignLocations(locations, run, nowMs), cursor);
const linux = () => cursorLocations({ env: {}, platform: "linux", homeDirectory: home });
const mac = () => cursorLocations({ env: {}, platform: "darwin", homeDirectory: home });

/** Writes the file, and returns the credential found or the reason for none. */
async function readAt(path: string, content: unknown) {
  put(path, content);
  const { found, reasons } = await search(linux());
  return found?.credential ?? reasons.join();
}

describe("the locations of Cursor's own programs", () => {
  it.each([
    ["linux", {}, ".config/cursor/auth.json", ".config/Cursor/User/globalStorage/state.vscdb"],
    ["linux", { XDG_CONFIG_HOME: "/x" }, "/x/cursor/auth.json", "/x/Cursor/User/globalStorage/state.vscdb"],
    ["darwin", {}, ".cursor/auth.json", "Library/Application Support/Cursor/User/globalStorage/state.vscdb"],
    ["win32", { APPDATA: "/r" }, "/r/Cursor/auth.json", "/r/Cursor/User/globalStorage/state.vscdb"],
    ["win32", {}, "AppData/Roaming/Cursor/auth.json", "AppData/Roaming/Cursor/User/globalStorage/state.vscdb"],
  ] as const)("are known on %s with %o", (platform, env, cliFile, editorDatabase) => {
    const locations = cursorLocations({ env, platform, homeDirectory: home });
    const whole = (path: string) => (path.startsWith("/") ? path : join(home, path));
    expect(locations.cliFiles[0]).toBe(whole(cliFile));
    expect(locations.editorDatabase).toBe(whole(editorDatabase));
    expect(locations.sdkFile).toBe(join(home, ".cursor/sdk/auth.json"));
    expect(locations.hasKeychain).toBe(platform === "darwin");
  });
});

describe("the file of Cursor's CLI", () => {
  const read = (content: unknown) => readAt(linux().cliFiles[0] ?? "", content);

  it("gives its session, which is not renewed", async () => {
    expect(await read({ accessToken: session, refreshToken: "r" })).toMatchObject({
      secret: { kind: "session", accessToken: session, refreshToken: "r", canRenew: false },
      expiresMs: nowMs + 3_600_000,
    });
  });

  it("gives its key rather than its session", async () => {
    expect(await read({ accessToken: session, apiKey: "crsr_cli" })).toMatchObject({
      secret: { kind: "api-key", apiKey: "crsr_cli" },
    });
  });

  it.each([
    [{ accessToken: jwt({ exp: 1_700_000_000, type: "session" }) }, "its session expired on 2023-11-14"],
    [{ accessToken: jwt({ exp: 1_900_000_000, type: "api_key_token" }) }, "which lasts an hour"],
    [{}, "not signed in"],
    ["{", "has an unexpected format"],
    [{ accessToken: 5 }, "has an unexpected format"],
  ])("with %j is of no use, and says why", async (content, why) => {
    expect(await read(content)).toContain(why);
  });
});

describe("the file of Cursor's CLI on macOS", () => {
  it("is read from the folder of any CLI version", async () => {
    put(join(home, ".config/cursor/auth.json"), { apiKey: "crsr_elsewhere" });
    expect((await search(mac())).found?.credential.secret).toMatchObject({ apiKey: "crsr_elsewhere" });
    put(join(home, ".cursor/auth.json"), { apiKey: "crsr_cli" });
    expect((await search(mac())).found?.credential.secret).toMatchObject({ apiKey: "crsr_cli" });
  });
});

describe("the file of Cursor's SDK", () => {
  const read = (content: object) => readAt(linux().sdkFile, content);

  it("gives its key", async () => {
    const key = { backendUrl: cursor, apiKey: "crsr_sdk", apiKeyExpiresAtMs: nowMs + 1 };
    expect(await read({ version: 1, ...key, email: "a@b.c" })).toMatchObject({
      secret: { kind: "api-key", apiKey: "crsr_sdk" },
      email: "a@b.c",
      expiresMs: nowMs + 1,
    });
  });

  it.each([
    [{ apiKey: "crsr_sdk", backendUrl: "https://other.example" }, "its key is for another server"],
    [{ apiKey: "crsr_sdk", apiKeyExpiresAtMs: nowMs }, "its key expired on 2027-01-15"],
    [{ version: 1 }, "has an unexpected format"],
  ])("with %j is of no use, and says why", async (content, why) => {
    expect(await read(content)).toContain(why);
  });
});

describe("the macOS Keychain", () => {
  it("gives a key", async () => {
    const { run, asked } = keychain({ "cursor-api-key": "crsr_keychain" });
    const { found } = await search(mac(), run);
    expect(found?.credential.secret).toEqual({ kind: "api-key", apiKey: "crsr_keychain" });
    expect(asked).toEqual(["security find-generic-password -s cursor-api-key -a cursor-user -w"]);
  });

  it("gives a session", async () => {
    const { run } = keychain({ "cursor-access-token": session, "cursor-refresh-token": "r" });
    const { found } = await search(mac(), run);
    expect(found?.credential.secret).toMatchObject({ kind: "session", refreshToken: "r", canRenew: false });
  });

  it("is reported as locked, not as empty", async () => {
    const locked = await search(mac(), async () => ({ code: 51, stdout: "" }));
    expect(locked.reasons).toEqual([expect.stringContaining("the Keychain is locked")]);
    expect((await search(mac())).reasons).toEqual([expect.stringContaining("not signed in")]);
  });
});

describe("several locations", () => {
  it("are read in order, and only as far as needed", async () => {
    put(mac().cliFiles[0] ?? "", { apiKey: "crsr_cli" });
    put(mac().sdkFile, { apiKey: "crsr_sdk" });
    const { run, asked } = keychain({ "cursor-api-key": "crsr_keychain" });
    expect((await search(mac(), run)).found?.credential.secret).toMatchObject({ apiKey: "crsr_cli" });
    rmSync(mac().cliFiles[0] ?? "");
    expect((await search(mac(), run)).found?.credential.secret).toMatchObject({ apiKey: "crsr_sdk" });
    expect(asked).toEqual([]);
  });
});
