import { isLoopback } from "../config/loopback.js";
import { WatchedFile } from "../watched-file.js";
import { parseKeys } from "./key-file.js";
import { KeyRing } from "./key-ring.js";

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
