import { readFileSync } from "node:fs";
import { z } from "zod";
import { type ForeignLookup, judgeTokens } from "./foreign-credential.js";

const cliSchema = z.looseObject({
  accessToken: z.string().optional(),
  refreshToken: z.string().optional(),
  apiKey: z.string().optional(),
});

const sdkSchema = z.looseObject({
  apiKey: z.string().min(1),
  backendUrl: z.string().optional(),
  apiKeyExpiresAtMs: z.number().optional(),
  email: z.string().nullish(),
});

/** `auth.json` of Cursor's CLI. Its sessions are not renewed by the CLI, and so not by us. */
export function readCliFile(path: string, nowMs: number): ForeignLookup {
  return readJson(path, (json) => {
    const content = cliSchema.safeParse(json);
    return content.success ? judgeTokens(content.data, { canRenew: false, nowMs }) : damaged(path);
  });
}

/** `auth.json` of Cursor's SDK, which keeps a key. */
export function readSdkFile(path: string, nowMs: number): ForeignLookup {
  return readJson(path, (json) => {
    const content = sdkSchema.safeParse(json);
    if (!content.success) return damaged(path);
    const { apiKey, backendUrl, apiKeyExpiresAtMs: expiresMs, email } = content.data;
    if (expiresMs !== undefined && expiresMs <= nowMs) {
      return { state: "unusable", why: `its key ended on ${new Date(expiresMs).toISOString().slice(0, 10)}` };
    }
    return { state: "found", secret: { kind: "api-key", apiKey }, backendUrl, expiresMs, email: email ?? undefined };
  });
}

function readJson(path: string, judge: (json: unknown) => ForeignLookup): ForeignLookup {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "no reason given";
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "none" };
    return { state: "unusable", why: `${path} cannot be read (${code})` };
  }
  try {
    return judge(JSON.parse(text));
  } catch {
    return damaged(path);
  }
}

function damaged(path: string): ForeignLookup {
  return { state: "unusable", why: `${path} does not hold what it should` };
}
