import { randomBytes } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { WatchedFile } from "@curlew/gateway/system/watched-file.js";

const SECRET_BYTES = 32;
const WRITTEN = /^[\w-]{43}\n?$/;

export interface SecretDeps {
  readonly path: string;
  readonly clock: Pick<Clock, "elapsed">;
  readonly onProblem: (problem: unknown) => void;
}

/** Signs the sessions of the page. Kept in a file, so sessions survive restarts; replacing it ends them within a second. */
export class PageSecret {
  readonly #deps: SecretDeps;
  #file: WatchedFile<string | undefined>;
  /** Fallback if the file cannot be written. */
  #inMemory: string | undefined;

  constructor(deps: SecretDeps) {
    this.#deps = deps;
    this.#file = watch(deps);
  }

  /** Undefined until something was signed. */
  get current(): string | undefined {
    return this.#file.current ?? this.#inMemory;
  }

  /** The secret, created if missing. Reread now, not on the next poll: a link made right after all pages were closed must work. */
  get made(): string {
    const found = this.#file.newest ?? this.#inMemory;
    if (found !== undefined) return found;
    const { path } = this.#deps;
    try {
      writeFirst(path);
      const hasSecret = watch({ ...this.#deps, onProblem: () => {} }).current !== undefined;
      if (!hasSecret) replaceSecret(path); // the existing file is invalid
      this.#file = watch(this.#deps);
      return this.#file.current ?? replaceSecret(path);
    } catch (problem) {
      this.#deps.onProblem(problem);
      this.#inMemory = newSecret();
      return this.#inMemory;
    }
  }
}

/** Writes a new secret, which ends all sessions. @throws Error of the file system if it cannot be written */
export function replaceSecret(path: string): string {
  const secret = newSecret();
  makeFolder(dirname(path));
  replaceFile(path, `${secret}\n`);
  return secret;
}

/** Creates the secret atomically, unless the file exists: another gateway of the home may win the race. */
function writeFirst(path: string): void {
  const own = `${path}.${process.pid}`;
  makeFolder(dirname(path));
  replaceFile(own, `${newSecret()}\n`);
  try {
    linkSync(own, path);
  } catch {
    if (!existsSync(path)) renameSync(own, path); // file system without hard links
  }
  rmSync(own, { force: true });
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function watch({ path, clock, onProblem }: SecretDeps): WatchedFile<string | undefined> {
  const parse = (text: string | undefined) => {
    if (text === undefined) return undefined;
    if (!WRITTEN.test(text)) throw new Error(`${path} is not a secret as Curlew writes it.`);
    return text.trim();
  };
  return new WatchedFile({ path, parse, whenUnusable: undefined, elapsed: clock.elapsed, onProblem });
}
