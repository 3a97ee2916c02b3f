import type { TokenSource } from "../account/token.js";
import type { Network } from "../network/index.js";
import type { Clock } from "../system/clock.js";
import type { Machine } from "../system/machine.js";
import type { GatewayError } from "../turn/error.js";
import type { Backend } from "./backend.js";
import type { Recorder } from "./recorder.js";

export interface ClaimedClient {
  readonly version: string;
  readonly userAgent: string;
  /** Whether a call that was refused as this version should be repeated: calls claim another one from then on. */
  readonly givesWay?: (error: GatewayError, version: string) => boolean;
}

/** Describes how arguments, as JSON text, violate a tool's schema; undefined if they fit, or if that cannot be decided. */
export type Misfit = (schema: Readonly<Record<string, unknown>>, input: string) => string | undefined;

/** The parts of a backend that all accounts share. Each backend names the settings that it uses. */
export interface BackendParts<Settings> {
  readonly settings: Settings;
  /** The clients that Cursor sees: in the agent's calls, and in the old chat calls. */
  readonly clients: Readonly<Record<"agent" | "desktop", ClaimedClient>>;
  readonly network: Network;
  /** Returns equal texts for calls of a tool that do the same. */
  readonly fingerprint: (name: string, input: string) => string;
  readonly loadMisfit: () => Promise<Misfit>;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly recorder?: Recorder | undefined;
  readonly log: Record<"info" | "warn", (fields: object, message: string) => void>;
}

export interface BackendAccount {
  readonly tokens: TokenSource;
  readonly apiKey: string | undefined;
}

/** Opened once. Each account gets a backend of its own when its first turn needs it. */
export type OpenBackend<Settings> = (parts: BackendParts<Settings>) => (account: BackendAccount) => Backend;

export type OwnLoginParts<Settings> = Pick<BackendParts<Settings>, "settings" | "machine" | "clock">;

/** The doctor's report on a program that is not part of Curlew. */
export type OwnLoginReport =
  | { readonly isUsable: true; readonly what: string }
  /** `fix` is the command that solves it. */
  | { readonly isUsable: false; readonly why: unknown; readonly fix: string };

/** A program of Cursor's on this machine. */
export interface InstalledProgram {
  /** As it names itself to Cursor. */
  readonly version: string;
  /** The file that has its code, if it has the form of those that are known. */
  readonly bundle: string;
}
