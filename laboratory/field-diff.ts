import { isHeartbeat, isRun } from "../packages/wire/messages/calls.js";
import type { Capture, CapturedCall, FrameLine, Node } from "../packages/wire/messages/capture-format.js";
import { groupBy, hasFailed, orderOf, type Pair, pairCalls, wasLeft } from "./pair-calls.js";

/** One field, message or ending that only one of two captures has, or that they have in different forms. */
export interface Difference {
  readonly from: FrameLine["from"];
  /** The call: `Run` for a run over either version of HTTP, otherwise its path. */
  readonly call: string;
  /** The message by the names of its cases; empty for a single call. */
  readonly message: string;
  /** The fields from the outside in, each as `number name`; empty when the whole message differs. */
  readonly field: string;
  readonly one: string;
  readonly other: string;
  /** Which runs differ, in words; empty if all do that have what is around it. */
  readonly runs: string;
  /** Whether it was seen only after the first failure, which may be why. */
  readonly isConsequence: boolean;
}

/** The names of the two sides of a comparison, as people read them. */
export interface Sides {
  readonly one: string;
  readonly other: string;
}

interface Use {
  readonly from: FrameLine["from"];
  readonly call: string;
  readonly message: string;
  readonly field: string;
  /** The key of the field or message around it. */
  readonly around: string | undefined;
  readonly kinds: Set<string>;
  readonly choices: Set<string>;
}

/**
 * Compares which fields are sent in which messages, run by run and for each transport, and in which order the messages come. Values
 * count only where they are chosen from few.
 */
export function diffFields(one: Capture, other: Capture): Difference[] {
  const pairs = pairCalls(one, other);
  const failedAt = pairs.findIndex((pair) => pair.takes === "messages" && failedIn(pair) !== undefined);
  const found = new Map<string, { difference: Bare; at: number[] }>();
  const comparable = new Map<string, number>();
  for (const [at, pair] of pairs.entries()) {
    for (const { key, isSame, ...difference } of diffPair(pair)) {
      if (pair.takes === "messages") comparable.set(key, (comparable.get(key) ?? 0) + 1);
      if (isSame) continue;
      const name = JSON.stringify(difference);
      const known = found.get(name) ?? { difference, at: [] };
      found.set(name, known);
      known.at.push(at);
    }
  }
  const differences = [...found.values()].map(({ difference, at }): Difference => {
    const isConsequence = failedAt !== -1 && at.every((each) => isAfter(each, failedAt, pairs, difference));
    return { ...difference, runs: runsText(at, pairs, comparable.get(keyOf(difference)) ?? 0), isConsequence };
  });
  return mergeUnknown(differences).toSorted((a, b) => Number(a.isConsequence) - Number(b.isConsequence));
}

type Bare = Omit<Difference, "runs" | "isConsequence">;

/** Everything that the pair could differ in. What is inside a missing field or message is left out. */
function* diffPair(pair: Pair): Generator<Bare & { key: string; isSame: boolean }> {
  const { takes } = pair;
  const [uses, others] = [usesIn(pair.one, takes), usesIn(pair.other, takes)];
  const isCutShort = takes === "messages" && [...pair.one, ...pair.other].some(wasLeft);
  for (const [key, use] of new Map([...uses, ...others])) {
    if (use.around !== undefined && !(uses.has(use.around) && others.has(use.around))) continue;
    const { from, call, message, field } = use;
    const [left, right] = [formOf(uses.get(key)), formOf(others.get(key))];
    // How far a run came that its client left is chance.
    const isChance = isCutShort && message !== "" && field === "" && [left, right].includes(ABSENT);
    if (!isChance) yield { key, from, call, message, field, one: left, other: right, isSame: left === right };
  }
  const [[run], [otherRun]] = [pair.one, pair.other];
  if (takes === "messages" && !isCutShort && run !== undefined && otherRun !== undefined)
    yield* diffOrder(run, otherRun, uses, others);
}

function* diffOrder(run: CapturedCall, otherRun: CapturedCall, uses: Uses, others: Uses): ReturnType<typeof diffPair> {
  const use = { from: "server", call: "Run", message: "" } as const;
  const isInBoth = (message: string) => [uses, others].every((each) => each.has(keyOf({ ...use, message, field: "" })));
  const [order, otherOrder] = [orderOf(run, isInBoth), orderOf(otherRun, isInBoth)];
  const at = order.findIndex((path, index) => path !== otherOrder[index]);
  const [mine, theirs] = [order[at], otherOrder[at]];
  if (mine === undefined || theirs === undefined) return;
  // Named is the message that comes later than on the other side.
  const message = order.includes(theirs, at) ? theirs : mine;
  const [one, other] = [order, otherOrder].map((each) => `after ${each[each.indexOf(message, at) - 1] ?? "nothing"}`);
  if (one === undefined || other === undefined) return;
  yield { ...use, message, field: "order", key: keyOf({ ...use, message, field: "order" }), one, other, isSame: false };
}

/** Which side alone has failed. */
function failedIn({ one: [run], other: [otherRun] }: Pair): "one" | "other" | undefined {
  if (run === undefined || otherRun === undefined || hasFailed(run) === hasFailed(otherRun)) return undefined;
  return hasFailed(run) ? "one" : "other";
}

/** Whether the first failure may be why: a later run differs, or the failed one lacks a message. */
function isAfter(at: number, failedAt: number, pairs: readonly Pair[], difference: Bare): boolean {
  const pair = pairs[at];
  const isMissingRun = pair?.takes === "ends" && difference.field === "" && at < failedAt;
  if (pair === undefined || isMissingRun || pair.takes !== "messages" || at < failedAt) return isMissingRun;
  const failed = failedIn(pair);
  return at > failedAt || (difference.field === "" && failed !== undefined && difference[failed] === ABSENT);
}

/** `3 of 26 runs, all over HTTP/2`; empty if all runs differ that could. */
function runsText(at: readonly number[], pairs: readonly Pair[], comparable: number): string {
  const runs = at.flatMap((each) => (pairs[each]?.takes === "messages" ? [pairs[each]] : []));
  const transports = new Set(at.flatMap((each) => pairs[each]?.http ?? []));
  const isOne = transports.size === 1 && new Set(pairs.flatMap(({ http }) => http ?? [])).size > 1;
  if (runs.length === comparable && (comparable > 0 || !isOne)) return "";
  const over = isOne ? [`all over HTTP/${[...transports].join()}`] : [];
  return [...(comparable === 0 ? [] : [`${runs.length} of ${comparable} runs`]), ...over].join(", ");
}

/** An unknown field of many messages is one difference. */
function mergeUnknown(differences: readonly Difference[]): Difference[] {
  const alike = groupBy(differences, (difference) => {
    const { message, runs, ...others } = difference;
    const isUnknown = /(?:^| )\d+$/.test(difference.field);
    return isUnknown ? JSON.stringify(others) : JSON.stringify(difference);
  });
  return [...alike.values()].flatMap(([first, ...more]) => {
    if (first === undefined || more.length === 0) return first ?? [];
    const messages = [first, ...more].map(({ message }) => message.split("."));
    const [shortest = []] = messages;
    const different = shortest.findIndex((part, index) => messages.some((parts) => parts[index] !== part));
    const message = [...shortest.slice(0, different), `* (${messages.length} kinds of messages)`].join(".");
    return [{ ...first, message, runs: "" }];
  });
}

function keyOf({ from, call, message, field }: Pick<Difference, "from" | "call" | "message" | "field">): string {
  return [from, call, message, field].join(" | ");
}

const ABSENT = "absent";

function formOf(use: Use | undefined): string {
  if (use === undefined) return ABSENT;
  const kinds = [...use.kinds].toSorted().join(" or ");
  return use.choices.size === 0 ? kinds : `${kinds} ${[...use.choices].toSorted().join(", ")}`;
}

type Uses = ReadonlyMap<string, Use>;

function usesIn(calls: readonly CapturedCall[], takes: Pair["takes"]): Uses {
  const uses = new Map<string, Use>();
  const note: Note = (use, kind, choice) => {
    const key = keyOf(use);
    const found = uses.get(key) ?? { ...use, kinds: new Set<string>(), choices: new Set<string>() };
    uses.set(key, found);
    found.kinds.add(kind);
    if (choice !== undefined) found.choices.add(choice);
    return key;
  };
  for (const { opening, events } of calls) {
    const call = isRun(opening.path) ? "Run" : opening.path;
    const inCall = { call, message: "", field: "" };
    const client = note({ ...inCall, from: "client", around: undefined }, "call");
    const noteHeaders = (from: Use["from"], headers: readonly { readonly name: string }[]) => {
      if (takes === "ends") return;
      for (const { name } of headers) note({ ...inCall, from, field: `header ${name}`, around: client }, "header");
    };
    noteHeaders("client", opening.headers);
    for (const event of events) {
      if (event.type === "head") {
        noteHeaders("server", event.headers);
        note({ ...inCall, from: "server", field: "status", around: client }, "status", String(event.status));
      } else if (event.type === "end") {
        if (takes === "messages") continue;
        const end = note({ ...inCall, from: "server", field: "end", around: client }, "end", event.how);
        if (event.body !== undefined)
          noteFields({ ...inCall, from: "server", field: "end", around: end }, event.body, note);
      } else if (takes !== "ends" && !isHeartbeat(event)) {
        const { from, path: message } = event;
        const around = note({ from, call, message, field: "", around: client }, "message");
        noteFields({ from, call, message, field: "", around }, event.body, note);
      }
    }
  }
  return uses;
}

type Note = (use: Omit<Use, "kinds" | "choices">, kind: string, choice?: string) => string;

function noteFields(outer: Omit<Use, "kinds" | "choices">, node: Node, note: Note): void {
  if (!("fields" in node)) return;
  for (const field of node.fields) {
    if (isDuration(field)) continue; // one of 0 is absent
    // Items of a JSON list have neither a number nor a name; they are all alike.
    const label = [field.no, field.name].filter((part) => part !== undefined).join(" ");
    const path = label === "" ? outer.field : outer.field === "" ? label : `${outer.field} / ${label}`;
    const use = { ...outer, field: path };
    if (label === "") noteFields(use, field, note);
    else noteFields({ ...use, around: note(use, field.kind, choiceOf(field)) }, field, note);
  }
}

/** Durations that either side has measured. */
export function isDuration({ name = "" }: { readonly name?: string | undefined }): boolean {
  return name.endsWith("_ms");
}

function choiceOf(node: Node): string | undefined {
  if (node.name === "error" && "fields" in node) return [...wordsIn(node)].join(" ");
  if (node.kind === "choice") return String(node.number);
  return node.kind === "flag" ? String(node.flag) : undefined;
}

/** What an error says: its code, its numbers and its texts. */
function* wordsIn(node: Node): Generator<string> {
  if (node.kind === "choice") yield String(node.number);
  if ("pieces" in node) yield node.pieces.map((piece) => (typeof piece === "string" ? piece : "…")).join("");
  if ("fields" in node) for (const field of node.fields) yield* wordsIn(field);
}

/** `server > client  Run interaction_update.turn_ended, field 9 new: number in the capture, absent in the simulator` */
export function describeDifference(difference: Difference, sides: Sides): string {
  const { from, call, message, field, one, other, runs, isConsequence } = difference;
  const direction = from === "client" ? "client > server" : "server > client";
  const what = [`${call}${message === "" ? "" : ` ${message}`}`, ...fieldWords(field, message)].join(", ");
  const notes = [runs, isConsequence ? "after the first failure" : ""].filter((note) => note !== "").join("; ");
  return `${direction}  ${what}: ${one} in ${sides.one}, ${other} in ${sides.other}${notes && ` (${notes})`}\n`;
}

/** Leaves out the cases that the message's name already has. */
function fieldWords(field: string, message: string): string[] {
  if (field === "") return [];
  const parts = field.split(" / ");
  const cases = message.split(".");
  const isSaid = (part: string, index: number) => part.split(" ")[1] === cases[index];
  const known = parts.findIndex((part, index) => !isSaid(part, index));
  const rest = parts.slice(known === -1 ? -1 : known).join(" / ");
  return [/^\d/.test(rest) ? `field ${rest}` : rest];
}
