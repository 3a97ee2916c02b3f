import type { ValuePath } from "./json-text.js";
import type { SettingsFile } from "./settings-file.js";

export type Source =
  /** A flag, or an option of the program that embeds the gateway. */
  | { readonly kind: "given"; readonly name: string }
  /** `place` is `environment`, or the line of the file of variables, such as `.env:3`. */
  | { readonly kind: "variable"; readonly variable: string; readonly place: string }
  | { readonly kind: "file"; readonly file: SettingsFile; readonly name: string }
  /** What Curlew has found by itself, in words. */
  | { readonly kind: "found"; readonly words: string };

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
    case "found":
      return source.words;
  }
}

/** How a sentence about a value begins. It never has the value. */
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
    case "found":
      return source.words;
  }
}

/** The same with the value where the owner would write both together, such as `HOST=mymac (environment)`. */
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

export function shown(value: unknown): string {
  const text = withoutSecrets(JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
