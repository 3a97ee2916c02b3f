import { dirname } from "node:path";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { textUnlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { WatchedFile } from "@curlew/gateway/system/watched-file.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { type Ceilings, checkLimits, type LimitName, type Limits, LimitsError, MAX_ALLOWED } from "./limits.js";

/** A missing file means that no limits are set. */
function parseLimits(read: () => string | undefined, path: string): Limits {
  try {
    const text = read();
    return text === undefined ? {} : checkLimits(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (thrown) {
    if (thrown instanceof LimitsError) throw new LimitsError(`${path}: ${thrown.message}`, { cause: thrown });
    if (thrown instanceof SyntaxError)
      throw new LimitsError(`${path} is not valid JSON: ${thrown.message}.`, { cause: thrown });
    throw new LimitsError(reasonOf(thrown), { cause: thrown });
  }
}

/** @throws LimitsError if the file is invalid or unreadable */
export function readLimits(path: string): Limits {
  return parseLimits(() => textUnlessMissing(path), path);
}

/** @throws LimitsError if the limits are invalid, or Error of the file system if they cannot be written */
export function writeLimits(path: string, limits: Limits): void {
  const checked = checkLimits(limits);
  makeFolder(dirname(path));
  replaceFile(path, `${JSON.stringify(checked, null, 2)}\n`);
}

interface WatchDeps {
  readonly path: string;
  /** The limits read at the start. */
  readonly first: Limits;
  readonly elapsed: () => number;
  readonly onProblem: (problem: unknown) => void;
}

/** The owner's limits, reloaded when the file changes. An invalid file changes nothing. */
export function watchLimits({ path, first, elapsed, onProblem }: WatchDeps): WatchedFile<Limits> {
  const parse = (text: string | undefined) => parseLimits(() => text, path);
  return new WatchedFile({ path, parse, whenUnusable: first, elapsed, onProblem });
}

/** The limits with one of them set. @throws LimitsError if they are invalid */
export function withLimit(limits: Limits, name: LimitName, value: number, models?: readonly string[]): Limits {
  const [group, unit] = partsOf(name);
  const others = group === "plan" ? models && { models } : limits[group];
  return checkLimits({ ...limits, [group]: { ...others, [unit]: value } });
}

/** The limits without one of them, which falls back to its default, if any. */
export function withoutLimit(limits: Limits, name: LimitName): Limits {
  const [group, unit] = partsOf(name);
  const { [group]: of = {}, ...others } = limits;
  const left = group === "plan" ? [] : Object.entries(of).filter(([each]) => each !== unit);
  return left.length === 0 ? others : { ...others, [group]: Object.fromEntries(left) };
}

function partsOf(name: LimitName) {
  return name.split(".") as ["conversation" | "hour" | "day" | "plan" | "client", string];
}

/** The limits with an exception for a conversation: ceilings of its own, or none. @throws LimitsError */
export function withAllowed(limits: Limits, thread: string, ceilings: Ceilings): Limits {
  const { [thread]: _, ...others } = limits.allowed ?? {};
  // Drops the oldest exceptions.
  const kept = Object.entries(others).slice(-(MAX_ALLOWED - 1));
  return checkLimits({ ...limits, allowed: { ...Object.fromEntries(kept), [thread]: ceilings } });
}

/** The limits without the exception for a conversation. */
export function withoutAllowed(limits: Limits, thread: string): Limits {
  const { allowed = {}, ...rest } = limits;
  const { [thread]: _, ...others } = allowed;
  return Object.keys(others).length === 0 ? rest : { ...rest, allowed: others };
}
