import { z } from "zod";

/** Raised when a reader of the old version would misread the new one. docs/guide/capture.md describes the format. */
export const FORMAT_VERSION = 1;
/** The largest capture that is written or read. */
export const MAX_CAPTURE_BYTES = 64 * 1024 * 1024;

const count = z.number().int().min(0);
const name = z.string().max(200);
/** How much longer a text is in JSON. Clients put what they receive into JSON, which must be as long in a replay. */
const escapes = count.optional();
/** Something that was left out whole. The same number means the same content, within one capture. */
const Cut = z.strictObject({ cut: z.string().regex(/^cut-\d+$/), bytes: count, escapes });
/** A part of a text that was left out. */
const Gap = z.strictObject({ bytes: count, escapes });
/** An id. `hashOf` is the content of which it is the SHA-256. */
const Id = z.strictObject({ id: z.string().regex(/^id-\d+$/), bytes: count, hashOf: Cut.optional() });
/** A part of a text: verbatim, or its replacement. */
const Piece = z.union([z.string(), Cut, Id, Gap]);

/** The number and the name of a field. JSON has no numbers, and unknown fields have no names. */
const label = { no: count.optional(), name: name.optional() };
const Leaf = z.discriminatedUnion("kind", [
  z.strictObject({ ...label, kind: z.literal("text"), pieces: z.array(Piece) }),
  z.strictObject({ ...label, kind: z.literal("data"), pieces: z.array(Piece) }),
  z.strictObject({ ...label, kind: z.literal("number"), number: z.union([z.number(), Cut]) }),
  /** A boolean or an enum of protobuf. */
  z.strictObject({ ...label, kind: z.literal("choice"), number: z.number() }),
  /** Four or eight bytes in hex. */
  z.strictObject({ ...label, kind: z.literal("fixed"), hex: z.union([z.string().regex(/^([0-9a-f]{8}){1,2}$/), Cut]) }),
  /** A boolean or null of JSON. */
  z.strictObject({ ...label, kind: z.literal("flag"), flag: z.boolean().nullable() }),
]);
const Tree = z.strictObject({
  ...label,
  kind: z.enum(["message", "list"]),
  get fields() {
    return z.array(Node);
  },
});
/** A message as base64 in JSON, as in the details of an error. */
const Base64 = z.strictObject({
  ...label,
  kind: z.literal("base64"),
  type: name,
  get fields() {
    return z.array(Node);
  },
});
const Node: z.ZodType<Node> = z.lazy(() => z.union([Leaf, Tree, Base64]));

const Header = z.strictObject({ name, pieces: z.array(Piece) });
const inCall = { call: count, atMs: z.number().min(0) };

export const Line = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("capture"),
    version: z.literal(FORMAT_VERSION),
    curlew: name,
    made: z.iso.datetime(),
    by: z.enum(["doctor", "record"]),
    /** False if the recorder's limits were exceeded. */
    isWhole: z.boolean(),
  }),
  z.strictObject({
    type: z.literal("call"),
    ...inCall,
    method: name,
    path: name,
    http: z.enum(["1.1", "2"]),
    headers: z.array(Header),
  }),
  z.strictObject({ type: z.literal("head"), ...inCall, status: count, headers: z.array(Header) }),
  z.strictObject({
    type: z.literal("frame"),
    ...inCall,
    from: z.enum(["client", "server"]),
    /** The type of the message; absent for JSON and other bodies. */
    message: name.optional(),
    /** The names of the cases that are set, from the outside in. */
    path: name,
    bytes: count,
    body: Node,
  }),
  z.strictObject({
    type: z.literal("end"),
    ...inCall,
    how: z.enum(["complete", "end-frame", "cut-off", "reset", "canceled", "unreachable"]),
    code: count.optional(),
    body: Node.optional(),
  }),
]);

export type Cut = z.infer<typeof Cut>;
export type Id = z.infer<typeof Id>;
export type Gap = z.infer<typeof Gap>;
export type Piece = z.infer<typeof Piece>;
export type HeaderField = z.infer<typeof Header>;
type Label = { no?: number | undefined; name?: string | undefined };
export type Node =
  | z.infer<typeof Leaf>
  | (Label & { kind: "message" | "list"; fields: Node[] })
  | (Label & { kind: "base64"; type: string; fields: Node[] });
export type Line = z.infer<typeof Line>;
export type FrameLine = Extract<Line, { type: "frame" }>;
export type CallLine = Extract<Line, { type: "call" }>;
export type HeadLine = Extract<Line, { type: "head" }>;
export type EndLine = Extract<Line, { type: "end" }>;
export type CaptureLine = Extract<Line, { type: "capture" }>;

/** One call of a capture, with its events in order. */
export interface CapturedCall {
  readonly opening: CallLine;
  readonly events: readonly (HeadLine | FrameLine | EndLine)[];
}

export interface Capture {
  readonly header: CaptureLine;
  readonly calls: readonly CapturedCall[];
}

/** One JSON line for the header, then the lines of each call. */
export function captureText({ header, calls }: Capture): string {
  const lines = [header, ...calls.flatMap(({ opening, events }) => [opening, ...events])];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Every text that a capture shows verbatim. */
export function* shownIn({ calls }: Capture): Generator<string> {
  for (const { opening, events } of calls) {
    for (const { pieces } of opening.headers) yield* texts(pieces);
    for (const event of events) {
      if (event.type === "head") for (const { pieces } of event.headers) yield* texts(pieces);
      else if (event.body !== undefined) yield* inNode(event.body);
    }
  }
}

function* inNode(node: Node): Generator<string> {
  if ("fields" in node) for (const field of node.fields) yield* inNode(field);
  if ("pieces" in node) yield* texts(node.pieces);
}

function* texts(pieces: readonly Piece[]): Generator<string> {
  for (const piece of pieces) if (typeof piece === "string") yield piece;
}
