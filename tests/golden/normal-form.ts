import type { SseEvent } from "../../testing/clients/parse-sse.js";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const ids = new Set(["id", "call_id", "item_id", "request_id", "first_id", "last_id", "previous_response_id"]);
const times = new Set(["created", "created_at", "completed_at"]);
const SOME_TIME = 1_700_000_000;

/**
 * Removes what varies between runs. Ids are numbered in order of appearance, so that equal ids stay equal; all times become the
 * same; adjacent deltas are merged, because the network decides where text is split.
 */
export class NormalForm {
  readonly #deltaPaths: readonly (readonly string[])[];
  readonly #ids = new Map<string, string>();

  /** `deltaPaths` are the paths at which the text of a delta may be. */
  constructor(deltaPaths: readonly string[] = []) {
    this.#deltaPaths = deltaPaths.map((path) => path.split("."));
  }

  stream(events: readonly SseEvent[]): string {
    const merged: { event: string | undefined; json: Json }[] = [];
    for (const { event, data } of events) {
      const json: Json = data === "[DONE]" ? data : JSON.parse(data);
      const last = merged.at(-1);
      if (last === undefined || last.event !== event || !mergeInto(last.json, json, this.#deltaPaths))
        merged.push({ event, json });
    }
    return merged.map(({ event, json }, number) => this.#frame(event, json, number)).join("");
  }

  json(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#field(name, inner)]));
  }

  #frame(event: string | undefined, json: Json, number: number): string {
    const name = event === undefined ? "" : `event: ${event}\n`;
    if (typeof json === "string") return `${name}data: ${json}\n\n`;
    const shown = this.json(json);
    // Merged deltas leave gaps in the numbers; the judge has checked the original ones.
    if (isObject(shown) && "sequence_number" in shown) shown.sequence_number = number;
    return `${name}data: ${JSON.stringify(shown)}\n\n`;
  }

  #field(name: string, value: Json): Json {
    if (ids.has(name) && typeof value === "string") return this.#id(value);
    if (times.has(name) && typeof value === "number") return SOME_TIME;
    if (times.has(name) && typeof value === "string") return new Date(SOME_TIME * 1_000).toISOString();
    return this.json(value);
  }

  #id(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    // The first part of a UUID may consist of letters alone.
    const [prefix = ""] = /^(?![0-9a-f]{8}-)[a-z]+[-_]/.exec(id) ?? [];
    const shown = `${prefix}${this.#ids.size + 1}`;
    this.#ids.set(id, shown);
    return shown;
  }
}

/** Appends the delta to the previous one if they differ only in their text. */
function mergeInto(before: Json, next: Json, deltaPaths: readonly (readonly string[])[]): boolean {
  for (const path of deltaPaths) {
    const [left, right] = [textAt(before, path), textAt(next, path)];
    if (left === undefined || right === undefined || withText(before, path, "") !== withText(next, path, "")) continue;
    setText(before, path, left + right);
    return true;
  }
  return false;
}

function textAt(json: Json, path: readonly string[]): string | undefined {
  const value = path.reduce<Json | undefined>(step, json);
  return typeof value === "string" ? value : undefined;
}

function withText(json: Json, path: readonly string[], text: string): string {
  const copy = structuredClone(json);
  setText(copy, path, text);
  if (isObject(copy)) delete copy.sequence_number;
  return JSON.stringify(copy);
}

function setText(json: Json, path: readonly string[], text: string): void {
  const parent = path.slice(0, -1).reduce<Json | undefined>(step, json);
  if (isObject(parent)) parent[path.at(-1) ?? ""] = text;
}

function step(json: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(json)) return json[Number(name)];
  return isObject(json) ? json[name] : undefined;
}

function isObject(json: Json | undefined): json is { [name: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
