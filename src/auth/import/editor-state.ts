import { type ForeignLookup, judgeTokens } from "./foreign-credential.js";
import { DatabaseBusy, DatabaseDamaged } from "./sqlite/pages.js";
import { readValues } from "./sqlite/read-rows.js";

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
      const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
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
