import type { Machine } from "../config/machine.js";
import type { Format } from "./formats/format.js";
import type { Wanted } from "./merge.js";

/** What a client should be pointed at. */
export interface Target {
  /** The address of the gateway, without `/v1`. */
  readonly url: string;
  readonly model: string;
  /**
   * The size of this model's context. Clients compact conversations by it, and know nothing about Cursor's models themselves.
   */
  readonly contextTokens: number;
  /** The gateway's key; undefined if it has none. */
  readonly key: string | undefined;
}

/** The context size of Cursor's models if nothing is reported about it. */
export const USUAL_CONTEXT_TOKENS = 200_000;

/** A client that can be pointed at the gateway. */
export interface Client {
  /** Its name for `curlew setup`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The name that its makers use. */
  readonly title: string;
  /** The program that starts it. */
  readonly command?: string;
  /** Whether `npm run test:clients` runs it; otherwise only its documentation was read. */
  readonly isProven: boolean;
  /** The settings that are written, and where; undefined if they are not in a file. */
  readonly file?: ClientFile;
  /** What the user still has to do or know, one thing per entry. */
  notes(target: Target): readonly string[];
  /** How it is started without writing its settings; undefined if that is not possible. */
  readonly launch?: (target: Target, context: LaunchContext) => Launch;
}

export interface ClientFile {
  /** The possible paths; the first that exists counts. Relative paths start from the current folder, and are not created. */
  paths(machine: Machine): readonly string[];
  readonly format: Format;
  wanted(target: Target): Wanted;
  /** The beginning of a new file. */
  readonly defaults?: Wanted;
}

interface LaunchContext {
  /** Deleted when the client has ended. */
  readonly folder: string;
  readonly env: Machine["env"];
}

interface Launch {
  /** They come before the user's own arguments. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files in the temporary folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Clients want a key even if the gateway does not. */
export function keyFor({ key }: Target): string {
  return key ?? "anything";
}
