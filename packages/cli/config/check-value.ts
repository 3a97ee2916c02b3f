import { didYouMean } from "@curlew/gateway/system/closest.js";
import type { z } from "zod";
import type { Setting } from "./setting.js";
import type { SettingsFault } from "./settings-error.js";
import type { SettingsFile, ValuePath } from "./settings-file.js";

const MAX_FAULTS = 10;

type Issue = z.core.$ZodIssue;

/** The parsed value, or a fault for everything invalid in it. */
export function checkValue(
  setting: Setting<unknown>,
  { name, value, source }: { readonly name: string; readonly value: unknown; readonly source: Source },
): { readonly value: unknown; readonly faults: readonly SettingsFault[] } {
  const result = setting.type().safeParse(value);
  if (result.success) return { value: result.data, faults: [] };
  // To people, a text is one value, whatever it is split into.
  const isWhole = typeof value === "string";
  const byPlace = new Map<string, SettingsFault>();
  for (const issue of result.error.issues.flatMap(withEachKey)) {
    const path = isWhole ? [] : issue.path;
    const key = path.map(String).join(".");
    if (byPlace.has(key) || byPlace.size === MAX_FAULTS) continue;
    const message = sentence(issue, path, value, source, setting.isSecret === true);
    const place =
      source.kind === "file" ? { file: source.file.path, ...source.file.text.positionOf([name, ...path]) } : {};
    byPlace.set(key, { message, setting: [name, ...path].map(String).join("."), ...place });
  }
  return { value: undefined, faults: [...byPlace.values()] };
}

/** One issue per unrecognized key, at the position of that key. */
function withEachKey(issue: Issue): Issue[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
}

function sentence(issue: Issue, path: ValuePath, value: unknown, source: Source, isSecret: boolean): string {
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

/** In a list given as one text, the bad part is unknown, so each is compared. */
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

/** What a value must be: our type's own message, or else a text for the kind of issue. */
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

export type Source =
  /** A flag, an embedding option, or what Curlew has found by itself, in words. */
  | { readonly kind: "given"; readonly name: string }
  /** `place` is `environment`, or a line of an env file, such as `.env:3`. */
  | { readonly kind: "variable"; readonly variable: string; readonly place: string }
  | { readonly kind: "file"; readonly file: SettingsFile; readonly name: string };

export const ENVIRONMENT = "environment";

/** More of a value would hide the rest of a sentence. */
const MAX_SHOWN = 100;

export function originOf(source: Source): string {
  switch (source.kind) {
    case "given":
      return source.name;
    case "variable":
      return source.place === ENVIRONMENT
        ? `environment variable ${source.variable}`
        : `${source.place} (${source.variable})`;
    case "file":
      return `${source.file.path}:${source.file.text.nameOf([source.name]).line}`;
  }
}

/** Names a value at the beginning of a message, without the value itself. */
export function nameOf(source: Source, path: ValuePath = []): string {
  switch (source.kind) {
    case "given":
      return [source.name, ...path].map(String).join(".");
    case "variable":
      return `${source.variable} (${source.place})`;
    case "file": {
      const { line, column } = source.file.text.positionOf([source.name, ...path]);
      return `${source.file.path}:${line}:${column}: ${[source.name, ...path].map(String).join(".")}`;
    }
  }
}

/** The same, with the value of a variable, such as `HOST=mymac (environment)`. */
export function nameWithValue(source: Source, value: unknown): string {
  if (source.kind !== "variable") return nameOf(source);
  const text = withoutSecrets(String(value));
  return `${source.variable}=${/^[\w./:@,*-]+$/.test(text) ? text : shown(value)} (${source.place})`;
}

/** An address may have a password, and a key may have been given to the wrong setting. */
function withoutSecrets(text: string): string {
  return text.replace(/[^\s"]+/g, withoutPassword).replace(/\b(?:crsr_|key_|sk-)[\w-]{8,}/g, "***");
}

function withoutPassword(word: string): string {
  const [start, end] = [word.indexOf("://"), word.lastIndexOf("@")];
  return start >= 0 && end > start ? `${word.slice(0, start)}://***${word.slice(end)}` : word;
}

function shown(value: unknown): string {
  const text = withoutSecrets(JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
