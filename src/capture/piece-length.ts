import type { Piece } from "./format.js";

/** How many bytes the pieces stand for. */
export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? Buffer.byteLength(piece) : piece.bytes), 0);
}
