import { isDeepStrictEqual } from "node:util";

/** The settings that a file should have. Objects are merged into existing ones; any other value replaces the existing one. */
export interface Wanted {
  readonly [key: string]: WantedValue;
}
type WantedValue = string | number | boolean | readonly string[] | readonly Wanted[] | Wanted | Part;

/** A value with its own merge rule. */
class Part {
  /** The value to write if there is none yet, or none that can be kept. */
  readonly plain: unknown;
  /** How to merge it into a list that may have other members. */
  readonly editsIn: ((list: readonly unknown[], path: Edit["path"]) => Edit[]) | undefined;

  constructor(plain: unknown, editsIn?: Part["editsIn"]) {
    this.plain = plain;
    this.editsIn = editsIn;
  }
}

/** Members of a list of objects that may have others. Each is found by `key`, or appended. */
export function listItems(key: string, values: readonly Wanted[]): Part {
  return new Part(values.map(plainObject), (list, path) => {
    let end = list.length;
    return values.flatMap((value) => {
      const index = list.findIndex((each) => isObject(each) && each[key] === value[key]);
      if (index < 0) return [{ path: [...path, end++], value: plainObject(value) }];
      return editsFor(list[index], value, [...path, index]);
    });
  });
}

/** A text in a list that may have others. It replaces an older one of ours, or is appended. */
export function listText(text: string, isOurs: (text: string) => boolean): Part {
  return new Part([text], (list, path) => {
    if (list.includes(text)) return [];
    const index = list.findIndex((each) => typeof each === "string" && isOurs(each));
    return [{ path: [...path, index < 0 ? list.length : index], value: text }];
  });
}

/** An object that is all ours: other entries are removed, such as models that the account no longer has. */
export function whole(value: Wanted): Part {
  return new Part(plainObject(value));
}

export interface Edit {
  readonly path: readonly (string | number)[];
  /** Undefined removes the value. */
  readonly value: unknown;
}

/** The edits after which `current` has the wanted settings; none if it has them. */
export function editsFor(current: unknown, wanted: Wanted, path: Edit["path"] = []): Edit[] {
  return Object.entries(wanted).flatMap(([key, value]): Edit[] => {
    const here = [...path, key];
    const there = isObject(current) ? current[key] : undefined;
    if (value instanceof Part && value.editsIn && Array.isArray(there)) return value.editsIn(there, here);
    if (isWanted(value) && isObject(there)) return editsFor(there, value, here);
    const plain = plainValue(value);
    return isDeepStrictEqual(there, plain) ? [] : [{ path: here, value: plain }];
  });
}

/** The same, but existing values stay. */
export function editsForMissing(current: unknown, defaults: Wanted): Edit[] {
  return editsFor({}, defaults).filter(({ path: [key] }) => !isObject(current) || current[key ?? ""] === undefined);
}

export function plainObject(wanted: Wanted): Record<string, unknown> {
  return Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: WantedValue): unknown {
  if (value instanceof Part) return value.plain;
  return isWanted(value) ? plainObject(value) : value;
}

/** Wraps a value in objects and lists, one per step of the path. */
export function nested(path: Edit["path"], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);
}

export function applied(current: unknown, edits: readonly Edit[]): unknown {
  const result: unknown = structuredClone(current);
  for (const edit of edits) setIn(result, edit);
  return result;
}

/** Changes `root` itself. */
export function setIn(root: unknown, { path, value }: Edit): void {
  let parent = root;
  for (const step of path.slice(0, -1)) parent = childOf(parent, step);
  const last = path.at(-1) ?? "";
  if (value !== undefined && (isObject(parent) || Array.isArray(parent))) Object.assign(parent, { [last]: value });
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) delete parent[last];
}

function childOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? value[step] : undefined;
}

function isWanted(value: WantedValue): value is Wanted {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Part);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
