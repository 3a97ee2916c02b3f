import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../make-folder.js";
import { replaceFile } from "../replace-file.js";
import { unlessMissing } from "../unless-missing.js";
import { WatchedFile } from "../watched-file.js";
import { checkLimits, type Limits, LimitsError } from "./limits.js";

/** Without a file, the owner has set nothing. */
function parseLimits(text: string | undefined, path: string): Limits {
  if (text === undefined) return {};
  try {
    return checkLimits(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (thrown) {
    if (thrown instanceof LimitsError) throw new LimitsError(`${path}: ${thrown.message}`, { cause: thrown });
    if (thrown instanceof SyntaxError)
      throw new LimitsError(`${path} is not valid JSON: ${thrown.message}.`, { cause: thrown });
    throw thrown;
  }
}

/** @throws LimitsError when the file cannot be used, or Error of the file system when it cannot be read */
export function readLimits(path: string): Limits {
  return parseLimits(
    unlessMissing(() => readFileSync(path, "utf8")),
    path,
  );
}

/** @throws LimitsError when the limits cannot be used, or Error of the file system when they cannot be written */
export function writeLimits(path: string, limits: Limits): void {
  const checked = checkLimits(limits);
  makeFolder(dirname(path));
  replaceFile(path, `${JSON.stringify(checked, null, 2)}\n`);
}

interface WatchDeps {
  readonly path: string;
  /** What the file said at the start. */
  readonly first: Limits;
  readonly elapsed: () => number;
  readonly onProblem: (problem: unknown) => void;
}

/** The limits as the owner changes them. A file that cannot be used changes nothing. */
export function watchLimits({ path, first, elapsed, onProblem }: WatchDeps): WatchedFile<Limits> {
  return new WatchedFile({ path, parse: (text) => parseLimits(text, path), whenUnusable: first, elapsed, onProblem });
}
