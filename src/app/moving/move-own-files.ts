import { rmSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { filesToMove, type Places } from "../../config/places.js";
import { liveGateways } from "../../control/index.js";
import { moveOne } from "./move-one.js";

/** What can be found out again, or is of no use without its process: of two, the one in the new place is enough. */
const isDispensable = (name: string) => name === "run" || name === "client-version" || name.startsWith("models.");

export interface MovedFiles {
  /** What is in its new place since this start, each as a path. */
  readonly moved: readonly string[];
  /** Why something stays where it is, each as a sentence. Nothing is lost: it is used there. */
  readonly problems: readonly string[];
}

/**
 * Moves what an earlier version kept beside curlew.json to where the system expects it. What cannot be moved is used where it is.
 *
 * @param keptState a folder of conversations that a setting names; it stays
 */
export async function moveOwnFiles(places: Places, keptState: string | undefined): Promise<MovedFiles> {
  const files = filesToMove(places).filter(({ from }) => keptState === undefined || !isIn(from, keptState));
  if (files.length === 0) return { moved: [], problems: [] };
  const [running] = await liveGateways(join(places.config, "run"));
  if (running !== undefined) {
    const why = `a gateway of an earlier version (process ${running.pid}, ${running.url}) uses them`;
    return { moved: [], problems: [`Files stay in ${places.config} until the next start, because ${why}.`] };
  }
  const moved: string[] = [];
  const problems: string[] = [];
  for (const { name, from, to } of files) {
    try {
      const outcome = moveOne(from, to);
      if (outcome === "moved") moved.push(to);
      if (outcome !== "both") continue;
      if (isDispensable(name)) rmSync(from, { recursive: true, force: true });
      else
        problems.push(
          `${to} is used, and ${from} of an earlier version is left alone. Delete it if you do not need it.`,
        );
    } catch (thrown) {
      problems.push(`${from} cannot be moved to ${to}, and is used where it is: ${reasonOf(thrown)}.`);
    }
  }
  return { moved, problems };
}

/** Whether a path is this folder or in it, however it is written. */
function isIn(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
