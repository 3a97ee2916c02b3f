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
  /** How to merge it into the existing value; undefined replaces that. */
  readonly editsIn: (there: unknown, path: Edit["path"]) => Edit[] | undefined;

  constructor(plain: unknown, editsIn: Part["editsIn"]) {
    this.plain = plain;
    this.editsIn = editsIn;
  }
}

/** A value that is only written where there is none. */
export function unlessSet(value: WantedValue): Part {
  return new Part(plainValue(value), (there) => (there === undefined ? undefined : []));
}

/** Members of a list of objects that may have others. In ours, `key` is our name, alone or before a model's. */
export function listItems(key: string, values: readonly Wanted[]): Part {
  return new Part(values.map(plainObject), (list, path) => {
    if (!Array.isArray(list)) return undefined;
    const ours = list.flatMap((each, index) =>
      isObject(each) && /^curlew(?:$|[:/])/i.test(String(each[key])) ? [index] : [],
    );
    // Members are removed from the end, so that the indices of the others stay valid.
    const gone = ours.splice(values.length).reverse();
    const added = values
      .slice(ours.length)
      .map((value, nth) => ({ path: [...path, list.length + nth], value: plainObject(value) }));
    return [
      ...ours.flatMap((index, nth) => editsFor(list[index], values[nth] ?? {}, [...path, index])),
      ...added,
      ...gone.map((index) => ({ path: [...path, index], value: undefined })),
    ];
  });
}

/** A text in a list that may have others. It replaces an older one of ours, or is appended. */
export function listText(text: string, isOurs: (text: string) => boolean): Part {
  return new Part([text], (list, path) => {
    if (!Array.isArray(list)) return undefined;
    if (list.includes(text)) return [];
    const index = list.findIndex((each) => typeof each === "string" && isOurs(each));
    return [{ path: [...path, index < 0 ? list.length : index], value: text }];
  });
}

/** An object that is all ours: other entries are removed, such as models that the account no longer has. */
export function whole(value: Wanted): Part {
  return new Part(plainObject(value), () => undefined);
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
    const edits = value instanceof Part ? value.editsIn(there, here) : undefined;
    if (edits !== undefined) return edits;
    if (isWanted(value) && isObject(there)) return editsFor(there, value, here);
    const plain = plainValue(value);
    return isDeepStrictEqual(there, plain) ? [] : [{ path: here, value: plain }];
  });
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

export function childOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? value[step] : undefined;
}

function isWanted(value: WantedValue): value is Wanted {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Part);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
