import { expiryMs } from "../auth/claims.js";
import type { OwnStore } from "../auth/stores/own-store.js";

type KeepSession = (accessToken: string, old: string | undefined) => void;

/** Puts a renewed session in the place of the old one, if that is still the one that is kept. */
export function keepRenewed(store: OwnStore, onProblem: (problem: unknown) => void): KeepSession {
  return (accessToken, old) => {
    const keep = async () => {
      const lookup = await store.read();
      if (lookup.state !== "kept" || lookup.kept.secret.kind !== "session") return;
      if (lookup.kept.secret.accessToken !== old) return; // somebody has logged in anew meanwhile
      // Cursor's editor, too, has the new token take both places.
      const secret = { ...lookup.kept.secret, accessToken, refreshToken: accessToken };
      await store.write({ ...lookup.kept, secret, expiresMs: expiryMs(accessToken) });
    };
    keep().catch(onProblem);
  };
}
