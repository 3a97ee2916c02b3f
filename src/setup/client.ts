import type { Machine } from "../config/machine.js";
import type { Format } from "./formats/format.js";
import type { Wanted } from "./merge.js";

/** What a client is to be pointed at. */
export interface Target {
  /** Where the gateway listens, without `/v1`. */
  readonly url: string;
  readonly model: string;
  /** How much this model reads. Clients compact a conversation by it, and know nothing of Cursor's models by themselves. */
  readonly contextTokens: number;
  /** The gateway's key; undefined if it wants none. */
  readonly key: string | undefined;
}

/** A client that can be pointed at the gateway. */
export interface Client {
  /** What `curlew setup` calls it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What its makers call it. */
  readonly title: string;
  /** The program that starts it. */
  readonly command?: string;
  /** Whether `npm run test:clients` runs it, or only its documentation was read. */
  readonly isProven: boolean;
  /** What is written where; undefined if it keeps its settings out of reach. */
  readonly file?: ClientFile;
  /** What the user still has to do or know, one thing per entry. */
  notes(target: Target): readonly string[];
  /** How it is started with nothing written; undefined if it cannot be. */
  readonly launch?: (target: Target, place: LaunchContext) => Launch;
}

export interface ClientFile {
  /** Where it may be; the first that exists counts. Relative ones are meant from the current folder, and are not made. */
  paths(machine: Machine): readonly string[];
  readonly format: Format;
  wanted(target: Target): Wanted;
  /** What a file must have, if it has no such thing yet. */
  readonly defaults?: Wanted;
}

interface LaunchContext {
  /** Gone when the client has ended. */
  readonly folder: string;
  readonly env: Machine["env"];
}

interface Launch {
  /** Come before those of the user. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files in the temporary folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Where the gateway wants no key, clients still do. */
export function keyFor({ key }: Target): string {
  return key ?? "anything";
}
