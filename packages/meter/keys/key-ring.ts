import { timingSafeEqual } from "node:crypto";
import type { Caller, Keys } from "@curlew/gateway/core/index.js";
import { isLoopback } from "@curlew/gateway/network/loopback.js";
import { WatchedFile } from "@curlew/gateway/system/watched-file.js";
import { digestOf, type KeyLimits, parseKeys, type StoredKeys } from "./key-file.js";

interface Holder {
  readonly digest: Buffer;
  readonly caller: Caller;
  readonly limits: KeyLimits;
}

interface KeyRingDeps {
  /** The unnamed single key. */
  readonly key: string | undefined;
  /** The named keys; absent without a folder to keep them in. */
  readonly file?: WatchedFile<StoredKeys | undefined>;
  /** Require a key even while none exists: an address reachable by others must not open because a file is missing. */
  readonly isAlwaysAsked: boolean;
}

const anonymous: Caller = { id: "", name: undefined };

export class KeyRing implements Keys {
  readonly #single: readonly Holder[];
  readonly #file: KeyRingDeps["file"];
  readonly #isAlwaysAsked: boolean;
  #stored: StoredKeys | undefined;
  /** If the key file disappears, stay locked: deletion must not disable authentication. */
  #hasSeenKeys = false;
  #holders: readonly Holder[];

  constructor({ key, file, isAlwaysAsked }: KeyRingDeps) {
    this.#single = key === undefined ? [] : [holderOf(digestOf(key), undefined, {})];
    this.#holders = this.#single;
    this.#file = file;
    this.#isAlwaysAsked = isAlwaysAsked;
  }

  get anonymous(): Caller | undefined {
    this.#refresh();
    const isAsked = this.#isAlwaysAsked || this.#single.length > 0 || this.#hasSeenKeys;
    return isAsked ? undefined : anonymous;
  }

  /** Constant-time comparison with all keys. A fast hash is enough, because stored keys are random. */
  find(shown: string): Caller | undefined {
    this.#refresh();
    const digest = digestOf(shown);
    let found: Caller | undefined;
    // No break: named keys come last, so one that equals the single key keeps its name and limits.
    for (const holder of this.#holders) if (timingSafeEqual(holder.digest, digest)) found = holder.caller;
    return found;
  }

  /** Whether the gateway has a single key, which belongs to its owner. */
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
    const holder = this.#holders.findLast(({ caller }) => caller.id === callerId);
    return holder?.caller.name === undefined ? undefined : holder.limits;
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
  return { digest, caller: { id: digest.toString("base64url"), name }, limits };
}

interface OpenKeys {
  /** The file of the named keys. */
  readonly path: string;
  readonly key: string | undefined;
  /** The address that the gateway listens on. */
  readonly host: string;
  /** Host names under which others reach the gateway through a proxy. */
  readonly allowedHosts: readonly string[];
  readonly elapsed: () => number;
  readonly onProblem: (problem: unknown) => void;
}

/** The single key and the named keys, which are reloaded on change. An unusable file counts as an empty list: nothing opens. */
export function openKeys({ path, key, host, allowedHosts, elapsed, onProblem }: OpenKeys): KeyRing {
  const parse = (text: string | undefined) => parseKeys(text, path);
  const file = new WatchedFile({ path, parse, whenUnusable: [], elapsed, onProblem });
  return new KeyRing({ key, file, isAlwaysAsked: !isLoopback(host) || allowedHosts.length > 0 });
}
