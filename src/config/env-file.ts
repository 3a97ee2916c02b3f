import { parseEnv } from "node:util";
import { readBounded } from "./read-bounded.js";
import { SettingsError } from "./settings-error.js";

/** No file of variables is nearly as large. */
const MAX_BYTES = 256 * 1024;

/**
 * Brings the variables of a file such as `.env` into the environment, where it has none of that name: what is set there already wins,
 * unless it is empty. So everything that reads the environment knows them, child processes too.
 *
 * @returns where each of them stands, such as `.env:3`
 * @throws SettingsError when the file cannot be read
 */
export function useEnvFile(path: string, env: Record<string, string | undefined>): ReadonlyMap<string, string> {
  const text = readText(path);
  const places = new Map<string, string>();
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (env[name]) continue;
    env[name] = value;
    places.set(name, `${path}:${lineOf(name, text)}`);
  }
  return places;
}

/** The last line that sets a variable counts. */
function lineOf(name: string, text: string): number {
  const isSetBy = (line: string) => line.replace(/^\s*(?:export\s+)?/, "").match(/^[^\s=]+/)?.[0] === name;
  return text.split("\n").findLastIndex(isSetBy) + 1;
}

function readText(path: string): string {
  try {
    return readBounded(path, MAX_BYTES);
  } catch (thrown) {
    if (thrown instanceof SettingsError) throw thrown;
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
    throw new SettingsError(`--env-file names ${path}, which cannot be read (${String(code)}).`, { cause: thrown });
  }
}
