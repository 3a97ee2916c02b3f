import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../../turn/read-json.js";
import { codeOf } from "../../turn/reason-of.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";

const Secret = z.string().min(1);

/** The secret part. It lies in the system's keychain or, without one, in the file. */
export const KeptSecret = z.discriminatedUnion("kind", [
  /** Long-lived, and exchanged again and again for tokens of about an hour. */
  z.object({ kind: z.literal("api-key"), apiKey: Secret }),
  /** From a login. Only a session of Cursor's editor can be renewed. */
  z.object({ kind: z.literal("session"), accessToken: Secret, refreshToken: Secret, canRenew: z.boolean() }),
]);

const KeptFields = z.object({
  /** The server that issued the credential: it is never sent to another. */
  backendUrl: z.string(),
  /** How it was obtained, in words. */
  origin: z.string(),
  email: z.string().optional(),
  expiresMs: z.number().optional(),
  createdMs: z.number(),
});

const Version = z.literal(1);

/** The file's format. `place` says where the secret is; the key stays, because files in use have it. */
export const CredentialFile = z.discriminatedUnion("place", [
  KeptFields.extend({ version: Version, place: z.literal("file"), secret: KeptSecret }),
  KeptFields.extend({ version: Version, place: z.literal("keychain") }),
]);

export type KeptSecret = Readonly<z.infer<typeof KeptSecret>>;
export type CredentialFile = z.infer<typeof CredentialFile>;
export type KeptCredential = Readonly<z.infer<typeof KeptFields> & { secret: KeptSecret }>;

export type StoreChoice = "auto" | "keychain" | "file";

interface OwnStoreDeps {
  readonly file: string;
  readonly choice: StoreChoice;
  readonly platform: NodeJS.Platform;
  /** Opened lazily: most starts read only the file, and native code takes time to load. */
  readonly openKeychain: () => Promise<Keychain | undefined>;
}

type KeptLookup =
  | { readonly state: "none" }
  | { readonly state: "kept"; readonly kept: KeptCredential; readonly storedIn: CredentialFile["place"] }
  /** A credential exists that cannot be used; `why` is a whole sentence. */
  | { readonly state: "unusable"; readonly why: string };

/** The store of Curlew's own credential: the secret lies in the system's keychain if that works, else in a private file. */
export class OwnStore {
  readonly file: string;
  readonly #deps: OwnStoreDeps;

  constructor(deps: OwnStoreDeps) {
    this.#deps = deps;
    this.file = deps.file;
  }

  /** Changes with every change of the file or its permissions; undefined without a file. */
  get stamp(): string | undefined {
    const stats = statSync(this.file, { throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.ctimeMs}`;
  }

  async read(): Promise<KeptLookup> {
    const { file, platform } = this.#deps;
    const unusable = (why: string): KeptLookup => ({ state: "unusable", why });
    let found: ReturnType<typeof readPrivateFile>;
    try {
      found = readPrivateFile(file, platform);
    } catch (thrown) {
      return unusable(`${file} cannot be read (${codeOf(thrown) || "no reason given"}).`);
    }
    if (found === undefined) return { state: "none" };
    if (found.isOpen) {
      return unusable(`Other users of this machine can read ${file}; they may know the credential in it.`);
    }
    const content = CredentialFile.safeParse(parseJson(found.text));
    if (!content.success) return unusable(`${file} is damaged.`);
    const stored = content.data;
    if (stored.place === "file") return { state: "kept", kept: stored, storedIn: "file" };
    try {
      const text = (await this.#deps.openKeychain())?.get(this.#name);
      if (text === undefined) return unusable("Curlew's credential is no longer in the system's keychain.");
      const kept = { ...stored, secret: KeptSecret.parse(parseJson(text)) };
      return { state: "kept", kept, storedIn: "keychain" };
    } catch {
      return unusable("The system's keychain did not return Curlew's credential; it may be locked.");
    }
  }

  /** Returns where the secret was stored. @throws Error when the file, or a required keychain, cannot be used. */
  async write(kept: KeptCredential): Promise<CredentialFile["place"]> {
    const { secret, ...fields } = kept;
    const isInKeychain = this.#deps.choice !== "file" && (await this.#intoKeychain(secret));
    if (!isInKeychain && this.#deps.choice === "keychain") {
      const fix = "Set CURLEW_CREDENTIAL_STORE=file to keep it in a file.";
      throw new Error(`The system's keychain cannot be used here. ${fix}`);
    }
    const content: CredentialFile = isInKeychain
      ? { version: 1, ...fields, place: "keychain" }
      : { version: 1, ...fields, place: "file", secret };
    writePrivateFile(this.file, `${JSON.stringify(content, null, 2)}\n`);
    return content.place;
  }

  async remove(): Promise<boolean> {
    const { file, platform } = this.#deps;
    const text = readPrivateFile(file, platform)?.text;
    if (text === undefined) return false;
    if (!text.includes('"place": "file"')) {
      try {
        (await this.#deps.openKeychain())?.remove(this.#name);
      } catch {
        // A keychain that has lost the secret already is fine.
      }
    }
    rmSync(file, { force: true });
    return true;
  }

  async #intoKeychain(secret: KeptSecret): Promise<boolean> {
    try {
      const keychain = await this.#deps.openKeychain();
      if (keychain === undefined) return false;
      const text = JSON.stringify(secret);
      keychain.set(this.#name, text);
      return keychain.get(this.#name) === text; // some keychains accept everything and keep nothing
    } catch {
      return false;
    }
  }

  /** One keychain serves all state folders of a user, so the name includes the folder. */
  get #name(): string {
    return `credential-${createHash("sha256").update(this.file).digest("hex").slice(0, 12)}`;
  }
}

/** Texts in the system's keychain, by name. Every call may throw, because a keychain can be missing or locked. */
export interface Keychain {
  get(name: string): string | undefined;
  set(name: string, text: string): void;
  remove(name: string): void;
}

const SERVICE = "curlew";

/** The keychain of this system; undefined where the optional library for it is not installed. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  const library = await import("@napi-rs/keyring").catch(() => undefined);
  if (library === undefined) return undefined;
  // Without a secret service, Linux would use the kernel's keyring, which is empty after a restart.
  const entry = (name: string) => new library.Entry(SERVICE, name, { linux: { store: "secret-service" } });
  return {
    get: (name) => entry(name).getPassword() ?? undefined,
    set: (name, text) => entry(name).setPassword(text),
    remove: (name) => void entry(name).deletePassword(),
  };
}
