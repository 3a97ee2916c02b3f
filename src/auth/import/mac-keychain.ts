import { type ForeignLookup, judgeTokens } from "./foreign-credential.js";

/** Runs a program without a shell. */
export type RunProgram = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly stdout: string }>;

/** What `security` ends with when there is no such item. */
const NOT_FOUND = 44;

/** The login Keychain of macOS, where Cursor's CLI keeps its credentials. The system asks the person for each of them. */
export async function readMacKeychain(run: RunProgram, nowMs: number): Promise<ForeignLookup> {
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
