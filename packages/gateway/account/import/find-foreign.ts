import { existsSync } from "node:fs";
import { codeOf } from "../../turn/reason-of.js";
import { type ForeignLookup, judgeTokens, readCliFile, readSdkFile } from "./cursor-files.js";
import type { cursorLocations } from "./locations.js";
import { DatabaseBusy, DatabaseDamaged } from "./sqlite/pages.js";
import { readValues } from "./sqlite/read-rows.js";

interface ForeignLocation {
  readonly name: string;
  readonly what: string;
  read(): Promise<ForeignLookup>;
}

/** The locations that exist here, best first. Nothing is read yet. */
export function foreignLocations(
  { cliFiles, sdkFile, hasKeychain, editorDatabase }: ReturnType<typeof cursorLocations>,
  run: RunProgram,
  nowMs: number,
): ForeignLocation[] {
  const file = (name: string, what: string, read: (path: string, nowMs: number) => ForeignLookup): ForeignLocation[] =>
    existsSync(what) ? [{ name, what, read: async () => read(what, nowMs) }] : [];
  return [
    ...cliFiles.flatMap((path) => file("Cursor's CLI", path, readCliFile)),
    ...file("Cursor's SDK", sdkFile, readSdkFile),
    ...(hasKeychain
      ? [{ name: "Cursor's CLI", what: "the macOS Keychain", read: () => readMacKeychain(run, nowMs) }]
      : []),
    ...file("Cursor's editor", editorDatabase, readEditorState),
  ];
}

/** Reads the locations in order until one has a credential for this server. `reasons` says why those before it do not serve. */
export async function findForeign(locations: readonly ForeignLocation[], backendUrl: string) {
  const reasons: string[] = [];
  for (const location of locations) {
    const lookup = await location.read();
    const isElsewhere = lookup.state === "found" && (lookup.backendUrl ?? backendUrl) !== backendUrl;
    if (lookup.state === "found" && !isElsewhere) return { found: { location, credential: lookup }, reasons };
    const why = isElsewhere
      ? "its key is for another server"
      : lookup.state === "unusable"
        ? lookup.why
        : "not signed in";
    reasons.push(`${location.name} (${location.what}): ${why}`);
  }
  return { found: undefined, reasons };
}

/** Runs a program without a shell. */
export type RunProgram = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly stdout: string }>;

/** The exit code of `security` for a missing item. */
const NOT_FOUND = 44;

/** Reads the login Keychain of macOS, where Cursor's CLI keeps its credentials. The system asks the user for each of them. */
async function readMacKeychain(run: RunProgram, nowMs: number): Promise<ForeignLookup> {
  let isLocked = false;
  const item = async (service: string) => {
    const args = ["find-generic-password", "-s", service, "-a", "cursor-user", "-w"];
    const { code, stdout } = await run("security", args).catch(() => ({ code: null, stdout: "" }));
    if (code !== 0 && code !== NOT_FOUND) isLocked = true;
    return code === 0 ? stdout.trim() : undefined;
  };
  const apiKey = await item("cursor-api-key");
  const accessToken = apiKey ? undefined : await item("cursor-access-token");
  const refreshToken = accessToken ? await item("cursor-refresh-token") : undefined;
  const lookup = judgeTokens({ apiKey, accessToken, refreshToken }, { canRenew: false, nowMs });
  return lookup.state === "none" && isLocked
    ? { state: "unusable", why: "the Keychain is locked, or access to it was denied" }
    : lookup;
}

/** The editor's keys (docs/protocol/wire.md, sign-in). */
const ACCESS = "cursorAuth/accessToken";
const REFRESH = "cursorAuth/refreshToken";
const EMAIL = "cursorAuth/cachedEmail";
/** The editor writes often and briefly, so a second look usually succeeds. */
const TRIES = 3;

export function readEditorState(path: string, nowMs: number): ForeignLookup {
  for (let tries = 1; ; tries++) {
    try {
      const values = readValues(path, "ItemTable", [ACCESS, REFRESH, EMAIL]);
      const value = (key: string) => decodeValue(values.get(key));
      const tokens = { accessToken: value(ACCESS), refreshToken: value(REFRESH), email: value(EMAIL) };
      return judgeTokens(tokens, { canRenew: true, nowMs });
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code === "ENOENT" || code === "ENOTDIR") return { state: "none" };
      const isBusy = thrown instanceof DatabaseBusy || code === "EBUSY" || code === "EAGAIN";
      if (isBusy && tries < TRIES) continue;
      if (isBusy) return { state: "unusable", why: "the editor is writing its database just now; try again" };
      if (thrown instanceof DatabaseDamaged) return { state: "unusable", why: thrown.message.replace(/\.$/, "") };
      if (code !== "") return { state: "unusable", why: `${path} cannot be read (${code})` };
      throw thrown;
    }
  }
}

/** Decodes text or bytes, in UTF-8 or UTF-16LE, bare or as a JSON string: the editor has written all of these. */
function decodeValue(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || bytes.length === 0) return undefined;
  const isWide = bytes.length % 2 === 0 && bytes[1] === 0;
  const hasMark = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = bytes
    .toString(isWide || hasMark ? "utf16le" : "utf8")
    .replace(/^\uFEFF/, "")
    .trim();
  const bare = /^"(.*)"$/s.exec(text)?.[1] ?? text;
  return bare === "" ? undefined : bare;
}
