import { readFileSync } from "node:fs";
import { parseSse, type SseEvent } from "../clients/parse-sse.js";

/** A change that makes a stream break a rule. */
export type Tamper = (events: readonly SseEvent[]) => readonly SseEvent[];

/** One of the recorded streams. */
export function readGolden(dialect: string, name: string): SseEvent[] {
  return parseSse(readFileSync(new URL(`../../tests/golden/${dialect}/${name}.sse`, import.meta.url), "utf8"));
}

/** Removes every event that contains this text. */
export function without(text: string): Tamper {
  return (events) => events.filter((each) => !holds(each, text));
}

/** Replaces a text with another, in every event or in the first ones. */
export function replace(text: string | RegExp, by: string, times = Number.POSITIVE_INFINITY): Tamper {
  return (events) => {
    let left = times;
    return events.map((each) => {
      const data = each.data.replace(text, by);
      if (data === each.data || left === 0) return each;
      left--;
      return { ...each, data };
    });
  };
}

/** Sets or removes a field in every event that contains this text. */
export function set(text: string, path: string, value: unknown): Tamper {
  const names = path.split(".");
  return (events) =>
    events.map((each) =>
      holds(each, text) ? { ...each, data: JSON.stringify(withField(JSON.parse(each.data), names, value)) } : each,
    );
}

function withField(json: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  if (typeof json !== "object" || json === null || !(name in json)) return json;
  const inner: unknown = Object.entries(json).find(([key]) => key === name)?.[1];
  const changed = rest.length === 0 ? value : withField(inner, rest, value);
  return Array.isArray(json) ? json.with(Number(name), changed) : { ...json, [name]: changed };
}

/** Repeats the last event that contains this text, at once or at the end. */
export function repeat(text: string, where: "at once" | "at the end" = "at once"): Tamper {
  return (events) => {
    const at = events.findLastIndex((each) => holds(each, text));
    const copy = events.slice(at, at + 1);
    return where === "at once" ? [...events.slice(0, at), ...copy, ...events.slice(at)] : [...events, ...copy];
  };
}

export function add(data: string, event?: string): Tamper {
  return (events) => [...events, { event, data }];
}

export const unnamed: Tamper = (events) => events.map(({ data }) => ({ event: undefined, data }));

function holds({ event, data }: SseEvent, text: string): boolean {
  return event === text || data.includes(text);
}
