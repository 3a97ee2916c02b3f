import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import type { KeptCredential } from "./own-store.js";
import { type Keychain, OwnStore, type StoreChoice } from "./own-store.js";

const kept: KeptCredential = {
  secret: { kind: "api-key", apiKey: "crsr_kept" },
  backendUrl: "https://api2.cursor.sh",
  origin: "given by you",
  email: "me@example.org",
  createdMs: 1,
};

let file: string;
let items: Map<string, string>;
const working: Keychain = {
  get: (name) => items.get(name),
  set: (name, text) => items.set(name, text),
  remove: (name) => items.delete(name),
};
const fail = () => {
  throw new Error("locked");
};
const locked: Keychain = { get: fail, set: fail, remove: fail };

beforeEach(() => {
  file = join(temporaryFolder(), "home", "credentials.json");
  items = new Map();
});

function storeWith(keychain: Keychain | undefined, choice: StoreChoice = "auto"): OwnStore {
  return new OwnStore({ file, choice, platform: "linux", openKeychain: async () => keychain });
}

describe("without a keychain", () => {
  it("the secret lies in an owner-only file, in an owner-only folder", async () => {
    const store = storeWith(undefined);
    expect(await store.read()).toEqual({ state: "none" });
    expect(await store.write(kept)).toBe("file");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(file))).toEqual(["credentials.json"]);
    expect(await store.read()).toMatchObject({ state: "kept", storedIn: "file", kept });
  });

  it("a file that others can read is not used", async () => {
    const store = storeWith(undefined);
    await store.write(kept);
    chmodSync(file, 0o644);
    expect(await store.read()).toMatchObject({ state: "unusable", why: expect.stringContaining("Other users") });
  });

  it.each(["", "{}", "not json", '{"version":2}'])("a damaged file (%j) is unusable", async (text) => {
    const store = storeWith(undefined);
    await store.write(kept);
    writeFileSync(file, text);
    expect(await store.read()).toEqual({ state: "unusable", why: `${file} is damaged.` });
  });

  it("requiring the keychain is an error", async () => {
    await expect(storeWith(undefined, "keychain").write(kept)).rejects.toThrow("CURLEW_CREDENTIAL_STORE=file");
    expect(existsSync(file)).toBe(false);
  });
});

describe("with a keychain", () => {
  it("the file holds no secret", async () => {
    const store = storeWith(working);
    expect(await store.write(kept)).toBe("keychain");
    expect(readFileSync(file, "utf8")).not.toContain("crsr_kept");
    expect(await store.read()).toMatchObject({ state: "kept", storedIn: "keychain", kept });
  });

  it("that is locked, the file is the fallback", async () => {
    expect(await storeWith(locked).write(kept)).toBe("file");
  });

  it("that is locked or emptied later, the credential is unusable", async () => {
    await storeWith(working).write(kept);
    expect(await storeWith(locked).read()).toMatchObject({ state: "unusable", why: expect.stringContaining("locked") });
    items.clear();
    expect(await storeWith(working).read()).toMatchObject({ state: "unusable" });
  });

  it("that silently drops what it is given, the file is the fallback", async () => {
    expect(await storeWith({ ...working, get: () => undefined }).write(kept)).toBe("file");
  });

  it("the file is used if that is set", async () => {
    expect(await storeWith(working, "file").write(kept)).toBe("file");
    expect(items.size).toBe(0);
  });
});

describe("removing", () => {
  it.each([undefined, working])("leaves nothing behind, with the keychain %o", async (keychain) => {
    const store = storeWith(keychain);
    await store.write(kept);
    expect(await store.remove()).toBe(true);
    expect(items.size).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(await store.remove()).toBe(false);
  });
});
