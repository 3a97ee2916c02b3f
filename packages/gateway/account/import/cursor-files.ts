import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../../turn/read-json.js";
import { codeOf } from "../../turn/reason-of.js";
import { expiryMs, textClaim } from "../claims.js";
import type { KeptSecret } from "../stores/own-store.js";

const CliFile = z.looseObject({
  accessToken: z.string().optional(),
  refreshToken: z.string().optional(),
  apiKey: z.string().optional(),
});

const SdkFile = z.looseObject({
  apiKey: z.string().min(1),
  backendUrl: z.string().optional(),
  apiKeyExpiresAtMs: z.number().optional(),
  email: z.string().nullish(),
});

/** Reads `auth.json` of Cursor's CLI. The CLI does not renew its sessions, so we do not either. */
export function readCliFile(path: string, nowMs: number): ForeignLookup {
  return readJson(path, CliFile, (tokens) => judgeTokens(tokens, { canRenew: false, nowMs }));
}

/** Reads `auth.json` of Cursor's SDK, which holds a key. */
export function readSdkFile(path: string, nowMs: number): ForeignLookup {
  return readJson(path, SdkFile, ({ apiKey, backendUrl, apiKeyExpiresAtMs: expiresMs, email }) => {
    if (expiresMs !== undefined && expiresMs <= nowMs) {
      return { state: "unusable", why: `its key expired on ${new Date(expiresMs).toISOString().slice(0, 10)}` };
    }
    return { state: "found", secret: { kind: "api-key", apiKey }, backendUrl, expiresMs, email: email ?? undefined };
  });
}

function readJson<Content>(
  path: string,
  schema: z.ZodType<Content>,
  judge: (content: Content) => ForeignLookup,
): ForeignLookup {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "none" };
    return { state: "unusable", why: `${path} cannot be read (${code || "no reason given"})` };
  }
  const content = schema.safeParse(parseJson(text));
  return content.success ? judge(content.data) : { state: "unusable", why: `${path} has an unexpected format` };
}

export type ForeignLookup =
  | { readonly state: "none" }
  /** The credential cannot be read or used; `why` completes "Cursor's CLI: ...". */
  | { readonly state: "unusable"; readonly why: string }
  | {
      readonly state: "found";
      readonly secret: KeptSecret;
      readonly email?: string | undefined;
      readonly expiresMs?: number | undefined;
      /** The server that issued it, if known. */
      readonly backendUrl?: string | undefined;
    };

type ForeignTokens = Partial<Record<"apiKey" | "accessToken" | "refreshToken" | "email", string | undefined>>;

/** Judges the tokens of a login. Prefers a key to a session, because it can be exchanged for as long as it is valid. */
export function judgeTokens(
  { apiKey, accessToken, refreshToken, email }: ForeignTokens,
  { canRenew, nowMs }: { canRenew: boolean; nowMs: number },
): ForeignLookup {
  if (apiKey) return { state: "found", secret: { kind: "api-key", apiKey }, email };
  if (!accessToken) return { state: "none" };
  if (textClaim(accessToken, "type") === "api_key_token") {
    return { state: "unusable", why: "it holds only an API key's access token, which lasts an hour" };
  }
  const expiresMs = expiryMs(accessToken);
  if (expiresMs !== undefined && expiresMs <= nowMs) {
    return { state: "unusable", why: `its session expired on ${new Date(expiresMs).toISOString().slice(0, 10)}` };
  }
  return {
    state: "found",
    secret: { kind: "session", accessToken, refreshToken: refreshToken || accessToken, canRenew },
    email: email ?? textClaim(accessToken, "email"),
    expiresMs,
  };
}
