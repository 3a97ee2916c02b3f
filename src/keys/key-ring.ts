import { timingSafeEqual } from "node:crypto";
import { isLoopback } from "../config/loopback.js";
import { WatchedFile } from "../watched-file.js";
import { digestOf, type KeyLimits, parseKeys, type StoredKeys } from "./key-file.js";

/** Who sent a request, by the key that it showed. */
export interface Caller {
  /** Identifies the key without revealing it; empty when the gateway asks for none. What is stored for one is never found by another. */
  readonly id: string;
  /** The name of the key; undefined for the single key, and where there is none. */
  readonly name: string | undefined;
  readonly limits: KeyLimits;
}

interface Holder {
  readonly digest: Buffer;
  readonly caller: Caller;
}

interface KeyRingDeps {
  /** The single key, which has no name. */
  readonly key: string | undefined;
  /** The named keys, if there is a folder to keep them in. */
  readonly file?: WatchedFile<StoredKeys | undefined>;
  /** Whether clients need a key even while there is none: an address that others can reach must not open because a file is gone. */
  readonly isAlwaysAsked: boolean;
}

const noLimits: KeyLimits = {};
const anybody: Caller = { id: "", name: undefined, limits: noLimits };

export class KeyRing {
  readonly #single: readonly Holder[];
  readonly #file: KeyRingDeps["file"];
  readonly #isAlwaysAsked: boolean;
  #stored: StoredKeys | undefined;
  /** Whether there was a file of keys. When it is gone, nobody knows whether somebody wanted to open the door by that. */
  #hasSeenKeys = false;
  #holders: readonly Holder[];

  constructor({ key, file, isAlwaysAsked }: KeyRingDeps) {
    this.#single = key === undefined ? [] : [holderOf(digestOf(key), undefined, noLimits)];
    this.#holders = this.#single;
    this.#file = file;
    this.#isAlwaysAsked = isAlwaysAsked;
  }

  /** The caller of a request that need not show a key; undefined if it must. */
  get anybody(): Caller | undefined {
    this.#refresh();
    const isAsked = this.#isAlwaysAsked || this.#single.length > 0 || this.#hasSeenKeys;
    return isAsked ? undefined : anybody;
  }

  /** Whose key this is. All are compared in constant time, so the time reveals nothing. A fast hash is enough, because stored keys are random. */
  find(shown: string): Caller | undefined {
    this.#refresh();
    const digest = digestOf(shown);
    let found: Caller | undefined;
    // A named key that is the single key as well keeps its name and its limits: the named ones come last.
    for (const holder of this.#holders) if (timingSafeEqual(holder.digest, digest)) found = holder.caller;
    return found;
  }

  /** Whether the gateway has a single key, which is its owner's. */
  get hasSingle(): boolean {
    return this.#single.length > 0;
  }

  isSingle(shown: string): boolean {
    const digest = digestOf(shown);
    return this.#single.some((holder) => timingSafeEqual(holder.digest, digest));
  }

  /** The ceilings of a named key; undefined for any other caller. */
  limitsOf(callerId: string): KeyLimits | undefined {
    this.#refresh();
    const { name, limits } = this.#holders.findLast(({ caller }) => caller.id === callerId)?.caller ?? anybody;
    return name === undefined ? undefined : limits;
  }

  #refresh(): void {
    const stored = this.#file?.current;
    if (stored === this.#stored) return;
    this.#stored = stored;
    if (stored !== undefined) this.#hasSeenKeys = stored !== "off";
    const keys = stored === undefined || stored === "off" ? [] : stored;
    const named = keys.map(({ name, sha256, limits }) => holderOf(Buffer.from(sha256, "hex"), name, limits));
    this.#holders = [...this.#single, ...named];
  }
}

function holderOf(digest: Buffer, name: string | undefined, limits: KeyLimits): Holder {
  return { digest, caller: { id: digest.toString("base64url"), name, limits } };
}

interface OpenKeys {
  /** The file of the named keys. */
  readonly path: string;
  readonly key: string | undefined;
  /** The address that the gateway listens on. */
  readonly host: string;
  /** Host names under which others reach the gateway, through a proxy. */
  readonly allowedHosts: readonly string[];
  readonly elapsed: () => number;
  readonly onProblem: (problem: unknown) => void;
}

/** The single key and the named ones, which may change at any time. A file that cannot be used opens nothing: it counts as no key. */
export function openKeys({ path, key, host, allowedHosts, elapsed, onProblem }: OpenKeys): KeyRing {
  const parse = (text: string | undefined) => parseKeys(text, path);
  const file = new WatchedFile({ path, parse, whenUnusable: [], elapsed, onProblem });
  return new KeyRing({ key, file, isAlwaysAsked: !isLoopback(host) || allowedHosts.length > 0 });
}
