import { hash, randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { textUnlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { parseJson } from "@curlew/gateway/turn/read-json.js";
import { z } from "zod";
import { ceilingRows, ceilingsSchema } from "../spend/limits.js";

/** Bounded, because every request is compared with all keys. */
export const MAX_KEYS = 1_000;
const SECRET_BYTES = 32;
/** Lets secret scanners and the log redaction recognise a key. */
const PREFIX = "curlew_";
/** Names appear in the ledger, logs and tables, so they are restricted to plain characters. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const NAME_RULE = "up to 64 letters, digits, dots, hyphens or underscores, the first a letter or digit";

/** The spans of a key's ceilings, in display order. */
export const spans = ["hour", "day", "conversation"] as const;

const ceilings = ceilingsSchema().optional();
const KeyLimits = z.strictObject({ hour: ceilings, day: ceilings, conversation: ceilings });

/** The ceilings of one key; absent means none. */
export type KeyLimits = z.infer<typeof KeyLimits>;

/** `day.tokens 1000000`, one for each ceiling. */
export function listLimits(limits: KeyLimits) {
  return spans.flatMap((span) => ceilingRows("key", { [span]: limits[span] }));
}

const StoredKey = z.object({
  name: z.string().regex(NAME),
  /** The SHA-256 of the key, in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  limits: KeyLimits.default({}),
  /** Created by `curlew setup`, whose undo then revokes it. */
  bySetup: z.boolean().optional(),
});

const KeyFile = z.object({ keys: z.array(StoredKey).max(MAX_KEYS) });
/** Written by `curlew keys off`. Deleting the file does not open a running gateway: deletion must not disable authentication. */
const Off = z.strictObject({ keys: z.literal("off") });

export type StoredKey = z.infer<typeof StoredKey>;
export type StoredKeys = readonly StoredKey[] | "off";

/**
 * Parses the key file. No file gives undefined, as opposed to an empty list: with a file, clients need a key even if every key has
 * been revoked.
 * @throws Error that describes what is wrong with the text
 */
export function parseKeys(text: string | undefined, path: string): StoredKeys | undefined {
  if (text === undefined) return undefined;
  const read = parseJson(text);
  if (Off.safeParse(read).success) return "off";
  const parsed = KeyFile.safeParse(read);
  const fault = parsed.success ? repeatedName(parsed.data.keys) : placeOf(parsed.error);
  if (!parsed.success || fault !== undefined) {
    throw new Error(`${path} is not a list of keys as curlew keys writes it: ${fault}.`);
  }
  return parsed.data.keys;
}

/** The named keys; undefined if clients need none. @throws Error that describes what is wrong with the file */
export function readKeys(path: string): readonly StoredKey[] | undefined {
  const keys = parseKeys(textUnlessMissing(path), path);
  return keys === "off" ? undefined : keys;
}

/** @throws Error of the file system if it cannot be written */
export function writeKeys(path: string, keys: StoredKeys): void {
  makeFolder(dirname(path));
  replaceFile(path, `${JSON.stringify({ keys }, null, 2)}\n`);
}

/** A new key. The secret itself is stored nowhere. */
export function makeKey(name: string, limits: KeyLimits, nowMs: number): { secret: string; stored: StoredKey } {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  const sha256 = digestOf(secret).toString("hex");
  return { secret, stored: { name, sha256, created: new Date(nowMs).toISOString(), limits } };
}

export function digestOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

export function isKeyOf({ sha256 }: Pick<StoredKey, "sha256">, secret: string): boolean {
  return sha256 === digestOf(secret).toString("hex");
}

export function isKeyName(name: string): boolean {
  return NAME.test(name);
}

/** Only the location of the first fault: the value might be a key, pasted by mistake. */
function placeOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  return place === "" ? "it is not JSON of that form" : `${place} cannot be used`;
}

function repeatedName(keys: readonly StoredKey[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of keys) {
    if (seen.has(name)) return `the name ${name} appears twice`;
    seen.add(name);
  }
  return undefined;
}
