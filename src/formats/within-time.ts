import { runInNewContext } from "node:vm";

/**
 * Runs something that may take for ever, such as a client's regular expression, and gives up on it in time. Undefined then;
 * what it has touched may be half done. This is no sandbox: it only has the clock that a plain call lacks.
 */
export function withinTime<T extends object>(maxMs: number, work: () => T): T | undefined {
  try {
    return runInNewContext("work()", { work }, { timeout: maxMs }) as T;
  } catch (thrown) {
    if (isTimeout(thrown)) return undefined;
    throw thrown;
  }
}

function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
