import { timingSafeEqual } from "node:crypto";
import type { WatchedFile } from "../watched-file.js";
import { digestOf } from "./digest.js";
import type { StoredKey } from "./key-file.js";
import type { KeyLimits } from "./limits.js";

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
  readonly file?: WatchedFile<readonly StoredKey[] | undefined>;
  /** Whether clients need a key even while there is none: an address that others can reach must not open because a file is gone. */
  readonly isAlwaysAsked: boolean;
}

const noLimits: KeyLimits = {};
const anybody: Caller = { id: "", name: undefined, limits: noLimits };

/** The keys that clients may show. */
export class KeyRing {
  readonly #single: readonly Holder[];
  readonly #file: KeyRingDeps["file"];
  readonly #isAlwaysAsked: boolean;
  #stored: readonly StoredKey[] | undefined;
  /** Whether there ever was a file. When it is gone, nobody knows whether somebody wanted to open the door by that. */
  #hasSeenFile = false;
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
    const isAsked = this.#isAlwaysAsked || this.#single.length > 0 || this.#hasSeenFile;
    return isAsked ? undefined : anybody;
  }

  /** Whose key this is. It is compared with all of them, each in constant time, so that the time reveals nothing about any. */
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

  /** Whether this is the single key. */
  isSingle(shown: string): boolean {
    const digest = digestOf(shown);
    return this.#single.some((holder) => timingSafeEqual(holder.digest, digest));
  }

  /** The ceilings of a caller's key. */
  limitsOf(callerId: string): KeyLimits {
    this.#refresh();
    return this.#holders.findLast(({ caller }) => caller.id === callerId)?.caller.limits ?? noLimits;
  }

  #refresh(): void {
    const stored = this.#file?.current;
    if (stored === this.#stored) return;
    this.#stored = stored;
    this.#hasSeenFile ||= stored !== undefined;
    const named = (stored ?? []).map(({ name, sha256, limits }) => holderOf(Buffer.from(sha256, "hex"), name, limits));
    this.#holders = [...this.#single, ...named];
  }
}

function holderOf(digest: Buffer, name: string | undefined, limits: KeyLimits): Holder {
  return { digest, caller: { id: digest.toString("base64url"), name, limits } };
}
