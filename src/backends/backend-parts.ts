import type { TokenSource } from "../auth/token.js";
import type { Clock } from "../clock.js";
import type { Machine } from "../config/machine.js";
import type { Network } from "../network/index.js";
import type { Backend } from "./backend.js";

/** What a backend is made of, for all accounts. Each names the settings that it goes by. */
export interface BackendParts<Settings> {
  readonly settings: Settings;
  /** What Cursor is told that we are: by the agent's calls, and by the old chat calls if that is set. */
  readonly clientVersions: { readonly agent: string; readonly desktop: string | undefined };
  readonly network: Network;
  /** Equal for calls of a tool that do the same. */
  readonly fingerprint: (name: string, input: string) => string;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Record<"info" | "warn", (facts: object, message: string) => void>;
}

/** What differs from account to account. */
export interface BackendAccount {
  readonly tokens: TokenSource;
  /** The account's own key, if that is its credential. */
  readonly apiKey: string | undefined;
}

/** Opened once; each account has a backend of its own, made when its first turn goes there. */
export type OpenBackend<Settings> = (parts: BackendParts<Settings>) => (account: BackendAccount) => Backend;

/** What is needed to look at a login that is not Curlew's. */
export type OwnLoginParts<Settings> = Pick<BackendParts<Settings>, "settings" | "machine" | "clock">;

/** What the doctor is told of a program that Curlew does not bring along. */
export type OwnLoginReport =
  | { readonly isUsable: true; readonly what: string }
  /** `fix` is the one command that helps. */
  | { readonly isUsable: false; readonly why: unknown; readonly fix: string };
