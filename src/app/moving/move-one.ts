import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAlive } from "../../control/index.js";
import { makeFolder } from "../../make-folder.js";
import { unlessMissing } from "../../unless-missing.js";
import { copyTree } from "./copy-tree.js";

export type MoveOutcome =
  | "moved"
  /** There is nothing to move, or another process has moved it. */
  | "absent"
  /** There is one in both places, and none has been touched. */
  | "both";

/**
 * Moves a file or a folder to a place that may be on another disk. It can be stopped at any moment, and several processes may do
 * it at once: there is always one whole copy, and the next call finishes what was begun.
 *
 * Where a rename does not do, the steps are: copy to `<to>.part-<id>`; rename `<from>` to `<from>.moved-<id>`, which only one process
 * can do; rename the copy to `<to>`; remove what was renamed. So `<from>.moved-<id>` says that its copy is whole.
 *
 * @throws Error of the file system; then everything is where it was
 */
export function moveOne(from: string, to: string, rename: typeof renameSync = renameSync): MoveOutcome {
  const finished = finishMoves(from, to);
  if (finished !== "absent") return finished;
  const found = unlessMissing(() => lstatSync(from));
  if (found === undefined) return "absent";
  if (isThere(to)) return realpathSync(from) === realpathSync(to) ? "absent" : "both";
  makeFolder(dirname(to));
  removeLostParts(to);
  // A relative link would lead somewhere else from there.
  if (found.isSymbolicLink()) return moveByCopy(from, to, (part) => symlinkSync(realpathSync(from), part));
  try {
    rename(from, to);
    return "moved";
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "absent";
    if (codeOf(thrown) !== "EXDEV") throw thrown;
  }
  return moveByCopy(from, to, (part) => copyTree(from, part));
}

function moveByCopy(from: string, to: string, copy: (part: string) => void): MoveOutcome {
  const id = `${process.pid}-${randomBytes(6).toString("hex")}`;
  const part = `${to}.part-${id}`;
  try {
    copy(part);
    renameSync(from, `${from}.moved-${id}`);
  } catch (thrown) {
    rmSync(part, { recursive: true, force: true });
    if (codeOf(thrown) === "ENOENT" && !isThere(from)) return "absent";
    throw thrown;
  }
  return finishMoves(from, to);
}

/** Goes on with moves whose copy is whole. */
function finishMoves(from: string, to: string): MoveOutcome {
  let outcome: MoveOutcome = "absent";
  const prefix = `${basename(from)}.moved-`;
  for (const name of namesIn(dirname(from)).filter((each) => each.startsWith(prefix))) {
    const claimed = join(dirname(from), name);
    const part = `${to}.part-${name.slice(prefix.length)}`;
    if (isThere(part)) {
      if (isThere(to)) return "both";
      unlessMissing(() => renameSync(part, to)); // missing: another process is finishing the same move
    } else if (!isThere(to)) {
      unlessMissing(() => renameSync(claimed, from)); // somebody has deleted the copy
      continue;
    }
    rmSync(claimed, { recursive: true, force: true });
    outcome = "moved";
  }
  return outcome;
}

/** Copies of processes that ended too early. */
function removeLostParts(to: string): void {
  const prefix = `${basename(to)}.part-`;
  for (const name of namesIn(dirname(to)).filter((each) => each.startsWith(prefix))) {
    const pid = Number(/^\d+/.exec(name.slice(prefix.length))?.[0]);
    if (!isAlive(pid)) rmSync(join(dirname(to), name), { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  return unlessMissing(() => readdirSync(folder)) ?? [];
}

function isThere(path: string): boolean {
  return unlessMissing(() => lstatSync(path)) !== undefined;
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
