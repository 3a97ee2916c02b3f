import { randomBytes } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../clock.js";
import { makeFolder } from "../make-folder.js";
import { replaceFile } from "../replace-file.js";
import { WatchedFile } from "../watched-file.js";

const SECRET_BYTES = 32;
const WRITTEN = /^[\w-]{43}\n?$/;

export interface SecretDeps {
  readonly path: string;
  readonly clock: Pick<Clock, "elapsed">;
  readonly onProblem: (problem: unknown) => void;
}

/** Signs the sessions of the page. It is in a file, so they outlive the gateway; they are over within a second when it is replaced. */
export class PageSecret {
  readonly #deps: SecretDeps;
  #file: WatchedFile<string | undefined>;
  /** Stands for a file that cannot be written. */
  #inMemory: string | undefined;

  constructor(deps: SecretDeps) {
    this.#deps = deps;
    this.#file = watch(deps);
  }

  /** Undefined as long as nothing was signed. */
  get current(): string | undefined {
    return this.#file.current ?? this.#inMemory;
  }

  /** The secret, made if there is none. It is read anew: a link made right after all pages were closed must open one. */
  get made(): string {
    const found = this.#file.newest ?? this.#inMemory;
    if (found !== undefined) return found;
    const { path } = this.#deps;
    try {
      writeFirst(path);
      const hasSecret = watch({ ...this.#deps, onProblem: () => {} }).current !== undefined;
      if (!hasSecret) replaceSecret(path); // what is there cannot be used
      this.#file = watch(this.#deps);
      return this.#file.current ?? replaceSecret(path);
    } catch (problem) {
      this.#deps.onProblem(problem);
      this.#inMemory = newSecret();
      return this.#inMemory;
    }
  }
}

/** Writes a new secret, which ends all sessions. @throws Error of the file system when it cannot be written */
export function replaceSecret(path: string): string {
  const secret = newSecret();
  makeFolder(dirname(path));
  replaceFile(path, `${secret}\n`);
  return secret;
}

/** Writes the first secret, unless there is a file: another gateway of the home may have written it in the meantime. */
function writeFirst(path: string): void {
  const own = `${path}.${process.pid}`;
  makeFolder(dirname(path));
  replaceFile(own, `${newSecret()}\n`);
  try {
    linkSync(own, path);
  } catch {
    if (!existsSync(path)) renameSync(own, path); // a file system without links
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
