import type { Capture, Node, Piece } from "./format.js";

/** Every text that a capture shows as it was. */
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
