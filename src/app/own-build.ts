import { readFileSync } from "node:fs";

/** The command, as it was built. It ends with a hash of all files of its build. */
const command = new URL("../main.js", import.meta.url);

/** Whether another build has taken the place of the one that runs, looked up at each call. `onUpdated` hears of it once. */
export function watchBuild(onUpdated: () => void): () => boolean {
  const started = readCommand();
  let isSaid = false;
  return () => {
    const text = readCommand();
    const isUpdated = text !== undefined && text !== started;
    if (isUpdated && !isSaid) onUpdated();
    isSaid ||= isUpdated;
    return isUpdated;
  };
}

/** Undefined in the sources, and while an update is at work. */
function readCommand(): string | undefined {
  try {
    return readFileSync(command, "utf8");
  } catch {
    return undefined;
  }
}
