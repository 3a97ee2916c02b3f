import { isAboutAccount, isRun, type ParsedBody, shownPath } from "@curlew/wire/messages/calls.js";
import {
  type Capture,
  type CapturedCall,
  type Cut,
  FORMAT_VERSION,
  type HeaderField,
  type Node,
  type Piece,
} from "@curlew/wire/messages/capture-format.js";
import type { Label, RawNode } from "@curlew/wire/messages/message-node.js";
import { isPlainError } from "./leftovers.js";
import { gapFor, Numbering } from "./numbering.js";
import {
  ID_NAME,
  isId,
  isModelList,
  isPrivateId,
  noteIds,
  type ParsedCall,
  parseCall,
  ruleFor,
  slugsIn,
} from "./parse-calls.js";
import type { RawCall, RawEvent } from "./raw-capture.js";
import {
  errorTexts,
  errorWords,
  jsonNames,
  type Segment,
  type ShownLists,
  ShownTexts,
  segmentsOfJson,
} from "./shown-texts.js";

/** Larger numbers may be times, ids or amounts. */
const MAX_SHOWN_NUMBER = 1_000_000;
/** The deltas of an answer, which continue each other. */
const STREAMED = /^interaction_update\.(?:text|thinking)_delta$/;
/** Statuses and waits in seconds, which errors also give as texts. */
const SMALL_NUMBER = /^\d{1,6}$/;
/** What an error of a run says in words, in its JSON and in its details. */
const ERROR_WORDS = /^(?:code|message|title|detail|error)$/;
/** The arguments of a call while the model writes them: the whole text so far. */
const WRITTEN_JSON = "args_text_delta";
/** A number of google.protobuf.Value: the arguments and the results of tools hold user content. */
const ANY_NUMBER = "number_value";

export interface CaptureOrigin extends Omit<Capture["header"], "type" | "version"> {}

/** Keeps the texts of the closed lists, and replaces everything else by its length and a number, the same for the same content. */
export function reduceCapture(calls: readonly RawCall[], allowed: ShownLists, origin: CaptureOrigin): Capture {
  const parsed = calls.map(parseCall);
  const numbering = new Numbering();
  const lists = parsed.filter(({ raw }) => isModelList(raw.opening.path)).flatMap(({ bodies }) => [...bodies.values()]);
  const slugs = new Set(lists.flatMap(({ body, isRefusal }) => (isRefusal === false ? [...slugsIn(body)] : [])));
  for (const call of parsed) noteIds(call, numbering);
  const reducer = new Reducer(numbering, { ...allowed, texts: [...(allowed.texts ?? []), ...slugs] });
  return {
    header: { type: "capture", version: FORMAT_VERSION, ...origin },
    calls: parsed.map((call, index) => reducer.call(call, index + 1)),
  };
}

class Reducer {
  readonly #numbering: Numbering;
  readonly #shown: ShownTexts;
  readonly #shownInErrors: ShownTexts;

  constructor(numbering: Numbering, { texts = [], prompts = [] }: ShownLists) {
    this.#numbering = numbering;
    this.#shown = new ShownTexts({ texts, prompts });
    this.#shownInErrors = new ShownTexts({
      texts: [...texts, ...errorTexts],
      prompts: [...prompts, ...errorWords],
    });
  }

  /** The client's half is numbered before the server's, because their interleaving depends on timing. */
  call({ raw, bodies }: ParsedCall, call: number): CapturedCall {
    const { method, path, http, headers } = raw.opening;
    const opening = {
      type: "call" as const,
      call,
      atMs: raw.atMs,
      method,
      path: shownPath(path),
      http,
      headers: this.#headers(headers),
    };
    const streams = this.#streams(bodies);
    const reduce = (event: RawEvent): CapturedCall["events"][number] | undefined => {
      const { atMs } = event;
      const parsed = bodies.get(event);
      if (event.type === "answered") {
        return { type: "head", call, atMs, status: event.status, headers: this.#headers(event.headers) };
      }
      if (event.type === "ended") {
        const { how, code } = event;
        const body = parsed && { body: this.#node(parsed.body, { path, shown: this.#shownInErrors, isError: true }) };
        return { type: "end", call, atMs, how, ...(code !== undefined && { code }), ...body };
      }
      if (parsed === undefined) return undefined;
      const from = event.type === "sent" ? "client" : "server";
      const isError = parsed.isRefusal === true;
      const shown = isError ? this.#shownInErrors : this.#shown;
      const body = this.#node(parsed.body, { path, shown, isError, streamed: streams.get(event) });
      const message = parsed.message !== undefined && { message: parsed.message };
      return { type: "frame", call, atMs, from, ...message, path: parsed.path, bytes: event.bytes.length, body };
    };
    const oursFirst = raw.events.toSorted((a, b) => Number(b.type === "sent") - Number(a.type === "sent"));
    const reduced = new Map(oursFirst.map((event) => [event, reduce(event)]));
    return { opening, events: raw.events.flatMap((event) => reduced.get(event) ?? []) };
  }

  #streams(bodies: ReadonlyMap<RawEvent, ParsedBody>): Map<RawEvent, Segment[]> {
    const streams = new Map<string, { events: RawEvent[]; texts: string[] }>();
    for (const [event, { path, body }] of bodies) {
      if (!STREAMED.test(path)) continue;
      const stream = streams.get(path) ?? { events: [], texts: [] };
      streams.set(path, stream);
      stream.events.push(event);
      stream.texts.push(deltaOf(body));
    }
    const found = new Map<RawEvent, Segment[]>();
    for (const { events, texts } of streams.values()) {
      const rows = this.#shown.segmentsOfAll(texts);
      for (const [index, event] of events.entries()) found.set(event, rows[index] ?? []);
    }
    return found;
  }

  #headers(headers: Readonly<Record<string, string>>): HeaderField[] {
    return Object.entries(headers)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([name, value]): HeaderField[] => {
        const rule = ruleFor(name, value);
        if (rule === "left") return [];
        if (rule === "secret") return [{ name, pieces: [] }];
        if (rule === "shown") return [{ name, pieces: [value] }];
        const bytes = Buffer.from(value);
        return [{ name, pieces: [rule === "id" ? this.#numbering.id(bytes) : this.#numbering.cut(bytes)] }];
      });
  }

  #node(node: RawNode, context: NodeContext): Node {
    const label = labelOf(node);
    switch (node.kind) {
      case "message":
      case "list":
        return { ...label, kind: node.kind, fields: node.fields.map((field) => this.#node(field, context)) };
      case "base64":
        return { ...label, kind: "base64", type: node.type, fields: node.fields.map((f) => this.#node(f, context)) };
      case "choice":
        return { ...label, kind: "choice", number: Number(node.value) };
      case "flag":
        return { ...label, kind: "flag", flag: node.flag };
      case "number":
        return { ...label, kind: "number", number: this.#number(node, context) };
      case "fixed":
        return { ...label, kind: "fixed", hex: this.#fixed(node, context) };
      case "text":
        return { ...label, kind: "text", pieces: this.#text(node, context) };
      case "data":
        return { ...label, kind: "data", pieces: this.#data(node) };
    }
  }

  #number({ value, name = "" }: RawNode & { kind: "number" }, { path }: NodeContext): number | Cut {
    const isPrivate = (ID_NAME.test(name) && name !== "id") || name === ANY_NUMBER;
    if (!isPrivate && !isAboutAccount(path) && value >= 0 && value < MAX_SHOWN_NUMBER) return Number(value);
    return this.#numbering.number(value);
  }

  #fixed({ bytes, name }: RawNode & { kind: "fixed" }, { path }: NodeContext): string | Cut {
    const value = bytes.length === 8 ? bytes.readDoubleLE() : bytes.readFloatLE();
    const isSmall = Number.isInteger(value) && Math.abs(value) < MAX_SHOWN_NUMBER;
    return isSmall && name !== ANY_NUMBER && !isAboutAccount(path) ? bytes.toString("hex") : this.#numbering.cut(bytes);
  }

  #text(node: RawNode & { bytes: Buffer }, { path, shown, streamed, isError }: NodeContext): Piece[] {
    const text = node.bytes.toString("utf8");
    if (text === "") return [];
    if (isPrivateId(node)) return [this.#numbering.id(node.bytes)];
    if (shown.isShown(text)) return [text];
    if (isId(node)) return [this.#numbering.id(node.bytes)];
    if (isError && SMALL_NUMBER.test(text)) return [text];
    if (streamed !== undefined && node.name === "text") return this.#pieces(streamed, false);
    if (node.name === WRITTEN_JSON) {
      // Inside JSON, what a replay fills in must need no escapes.
      return segmentsOfJson(text).map((part) => (part.isShown ? part.text : { bytes: Buffer.byteLength(part.text) }));
    }
    const parts = this.#numbering.splitByIds(text);
    const isInWords = isError && isRun(path) && ERROR_WORDS.test(node.name ?? "") && parts.length === 1;
    if (isInWords && isPlainError(text)) return [text];
    return parts.flatMap((part) =>
      typeof part === "string" ? this.#pieces(shown.segments(part), parts.length === 1) : [part],
    );
  }

  #data(node: RawNode & { bytes: Buffer }): Piece[] {
    if (node.bytes.length === 0) return [];
    return isId(node) ? [this.#numbering.id(node.bytes)] : this.#numbering.splitData(node.bytes);
  }

  #pieces(segments: readonly Segment[], isWhole: boolean): Piece[] {
    const [only, second] = segments;
    if (only !== undefined && second === undefined && !only.isShown && isWhole)
      return [this.#numbering.cutText(only.text)];
    return segments.map(({ text, isShown }) => (isShown ? text : gapFor(text)));
  }
}

interface NodeContext {
  readonly path: string;
  readonly shown: ShownTexts;
  readonly isError: boolean;
  readonly streamed?: readonly Segment[] | undefined;
}

/** In protobuf, the name is a word of the schema. */
function labelOf({ no, name }: RawNode): Label {
  if (no !== undefined) return name === undefined ? { no } : { no, name };
  return name === undefined ? {} : { name: jsonNames.has(name) ? name : "-" };
}

/** The text of a delta, which is in the innermost message. */
function deltaOf(node: RawNode): string {
  if (node.kind === "text" && node.name === "text") return node.bytes.toString("utf8");
  if (node.kind !== "message") return "";
  return node.fields.map(deltaOf).join("");
}
