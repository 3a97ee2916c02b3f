import { isHeartbeat, isRun } from "../packages/wire/messages/calls.js";
import type { Capture, FrameLine, Node } from "../packages/wire/messages/capture-format.js";

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

/** Compares which fields are sent in which messages. Their values count only where they are chosen from few. */
export function diffFields(one: Capture, other: Capture): Difference[] {
  const [uses, others] = [usesIn(one), usesIn(other)];
  const differences: Difference[] = [];
  const compare = (key: string, use: Use) => {
    const match = others.get(key);
    const mine = uses.get(key);
    // Fields inside a missing field or message are not reported again.
    const isInsideMissing = use.around !== undefined && !(uses.has(use.around) && others.has(use.around));
    const [left, right] = [formOf(mine), formOf(match)];
    if (left === right || isInsideMissing) return;
    const { from, call, message, field } = use;
    differences.push({ from, call, message, field, one: left, other: right });
  };
  for (const [key, use] of uses) compare(key, use);
  for (const [key, use] of others) if (!uses.has(key)) compare(key, use);
  return differences;
}

function formOf(use: Use | undefined): string {
  if (use === undefined) return "absent";
  const kinds = [...use.kinds].toSorted().join(" or ");
  return use.choices.size === 0 ? kinds : `${kinds} ${[...use.choices].toSorted().join(", ")}`;
}

function usesIn({ calls }: Capture): Map<string, Use> {
  const uses = new Map<string, Use>();
  const note = (use: Omit<Use, "kinds" | "choices">, kind: string, choice?: string): string => {
    const key = [use.from, use.call, use.message, use.field].join(" | ");
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
    for (const { name } of opening.headers)
      note({ ...inCall, from: "client", field: `header ${name}`, around: client }, "header");
    for (const event of events) {
      if (event.type === "head")
        note({ ...inCall, from: "server", field: "status", around: client }, "status", String(event.status));
      else if (event.type === "end") {
        const end = note({ ...inCall, from: "server", field: "end", around: client }, "end", event.how);
        if (event.body !== undefined)
          noteFields({ ...inCall, from: "server", field: "end", around: end }, event.body, note);
      } else if (!isHeartbeat(event)) {
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
  if (node.kind === "choice") return String(node.number);
  return node.kind === "flag" ? String(node.flag) : undefined;
}

/** `server > client  Run interaction_update.turn_ended, field 9 new: number in the capture, absent in the simulator` */
export function describeDifference({ from, call, message, field, one, other }: Difference, sides: Sides): string {
  const direction = from === "client" ? "client > server" : "server > client";
  const what = [`${call}${message === "" ? "" : ` ${message}`}`, ...fieldWords(field, message)].join(", ");
  return `${direction}  ${what}: ${one} in ${sides.one}, ${other} in ${sides.other}\n`;
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
