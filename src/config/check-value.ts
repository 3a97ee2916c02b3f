import type { z } from "zod";
import { didYouMean } from "../closest.js";
import type { ValuePath } from "./json-text.js";
import type { Setting } from "./setting.js";
import type { SettingsFault } from "./settings-error.js";
import { nameOf, nameWithValue, type Source, shown } from "./source.js";

const MAX_FAULTS = 10;

type Issue = z.core.$ZodIssue;

/** The value as the type makes it, or a fault for everything in it that cannot be used. */
export function checkValue(
  setting: Setting<unknown>,
  { name, value, source }: { readonly name: string; readonly value: unknown; readonly source: Source },
): { readonly value: unknown; readonly faults: readonly SettingsFault[] } {
  const result = setting.type().safeParse(value);
  if (result.success) return { value: result.data, faults: [] };
  // A text is one value for people, whatever it is split into.
  const isWhole = typeof value === "string";
  const byPlace = new Map<string, SettingsFault>();
  for (const issue of result.error.issues.flatMap(withEachKey)) {
    const path = isWhole ? [] : issue.path;
    const key = path.map(String).join(".");
    if (byPlace.has(key) || byPlace.size === MAX_FAULTS) continue;
    const message = sentence(issue, { path, value, source, isSecret: setting.isSecret === true });
    const place =
      source.kind === "file" ? { file: source.file.path, ...source.file.text.positionOf([name, ...path]) } : {};
    byPlace.set(key, { message, setting: [name, ...path].map(String).join("."), ...place });
  }
  return { value: undefined, faults: [...byPlace.values()] };
}

/** One issue for each name that an object must not have, at the place of that name. */
function withEachKey(issue: Issue): Issue[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
}

interface Checked {
  readonly path: ValuePath;
  readonly value: unknown;
  readonly source: Source;
  readonly isSecret: boolean;
}

function sentence(issue: Issue, { path, value, source, isSecret }: Checked): string {
  if (issue.code === "unrecognized_keys") {
    const hint = didYouMean(issue.keys[0] ?? "", issue.message.replace("one of ", "").split(", "));
    return `${nameOf(source, path)} is not ${issue.message}.${hint}`;
  }
  const bad = valueAt(value, path);
  const isVariable = source.kind === "variable";
  const subject = isVariable && !isSecret ? nameWithValue(source, value) : nameOf(source, path);
  const but = isVariable || isSecret ? "" : bad === undefined ? ", but it is missing" : `, not ${shown(bad)}`;
  const hint = issue.code === "invalid_value" && !isSecret ? nearest(bad, value, issue.values) : "";
  return `${subject} must be ${mustOf(issue)}${but}.${hint}`;
}

/** In a list that was one text, the bad part is not known, so each is compared. */
function nearest(bad: unknown, value: unknown, values: readonly unknown[]): string {
  const names = values.filter((each) => typeof each === "string");
  const given = typeof bad === "string" ? bad.split(",") : typeof value === "string" ? value.split(",") : [];
  const [stranger] = given.map((each) => each.replace(/^.*=/, "").trim()).filter((each) => !names.includes(each));
  return stranger === undefined ? "" : didYouMean(stranger, names);
}

function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((inner, step) => {
    return typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined;
  }, value);
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Our types say what a value must be; where one does not, its kind says it. */
function mustOf(issue: Issue): string {
  if (!/^(Invalid|Too |Unrecognized)/.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type") return kinds[issue.expected] ?? issue.expected;
  if (issue.code === "invalid_value") return `one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "too_small")
    return `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${of(issue.origin)}`;
  if (issue.code === "too_big") return `at most ${issue.maximum}${of(issue.origin)}`;
  return "something else";
}

function of(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" || origin === "set" ? " entries" : "";
}
