import { hintOf } from "@curlew/gateway/account/credential.js";
import type { KeptCredential } from "@curlew/gateway/account/stores/own-store.js";
import type { Settings } from "../../config/settings.js";
import type { Colors } from "../../terminal/print.js";

interface Stored {
  readonly kept: KeptCredential;
  readonly keptIn: "keychain" | "file";
  readonly file: string;
  readonly former: KeptCredential | undefined;
}

export type StoredCredential = ReturnType<typeof storedCredential>;

export function storedCredential({ kept, keptIn, file, former }: Stored, settings: Settings) {
  const { secret, email, expiresMs } = kept;
  return {
    kind: secret.kind,
    email: email ?? null,
    hint: hintOf(kept.secret),
    expires: expiresMs === undefined ? null : new Date(expiresMs).toISOString(),
    // Whether Curlew renews it beyond that date while in use.
    renews: secret.kind === "session" && secret.canRenew,
    place: keptIn,
    file,
    replaced: former === undefined ? null : replacedKey(former, kept, settings),
  };
}

/** Environment variables with a credential, which overrides the stored one. */
export function credentialVariables({ apiKey, authToken }: Settings): string[] {
  return [apiKey && "CURSOR_API_KEY", authToken && "CURSOR_AUTH_TOKEN"].filter((name) => name !== undefined);
}

/** A key that Curlew forgets stays valid at Cursor until its owner revokes it there. */
export function revokePage({ websiteUrl }: Settings): string {
  return `${websiteUrl}/dashboard`;
}

export function describeStored(stored: StoredCredential, settings: Settings, { green, yellow }: Colors): string[] {
  const { kind, email, hint, expires, renews, place, file, replaced } = stored;
  const what = kind === "api-key" ? `API key ${hint}` : "session";
  const until = expires === null ? "" : `, good until ${expires.slice(0, 10)}`;
  const where = place === "keychain" ? "in the system's keychain" : `in ${file}`;
  const lines = [green(`Signed in${email === null ? "" : ` as ${email}`}.`), `The ${what} is kept ${where}${until}.`];
  if (kind === "session" && !renews)
    lines.push("A session like this cannot be renewed: when it expires, run curlew login.");
  if (replaced !== null)
    lines.push(`It replaces the key ${replaced.hint}, which stays valid until you revoke it: ${replaced.revokeAt}`);
  const [overriding] = credentialVariables(settings);
  if (overriding !== undefined) lines.push(yellow(`${overriding} is set and is used instead of it.`));
  return lines;
}

export function describeFormer(former: KeptCredential, settings: Settings): string[] {
  const who = former.email === undefined ? "" : ` as ${former.email}`;
  const day = new Date(former.createdMs).toISOString().slice(0, 10);
  const what = former.secret.kind === "api-key" ? `API key ${hintOf(former.secret)}` : "session";
  const isElsewhere = former.backendUrl !== settings.backendUrl;
  return [
    isElsewhere
      ? `A sign-in${who} for ${former.backendUrl} is stored here, and Curlew keeps only one.`
      : `You are already signed in${who}.`,
    `Signing in again replaces the ${what} from ${day}.`,
    ...(former.secret.kind === "api-key" && !isElsewhere
      ? [`The old key stays valid until you revoke it: ${revokePage(settings)}`]
      : []),
  ];
}

function replacedKey(former: KeptCredential, kept: KeptCredential, settings: Settings) {
  if (former.secret.kind !== "api-key" || former.backendUrl !== settings.backendUrl) return null;
  const isSame = kept.secret.kind === "api-key" && kept.secret.apiKey === former.secret.apiKey;
  return isSame ? null : { hint: hintOf(former.secret), revokeAt: revokePage(settings) };
}
