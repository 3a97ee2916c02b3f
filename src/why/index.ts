export { countText, durationText, some } from "./amounts.js";
export { type ChosenTurn, chooseTurn } from "./choose.js";
export { explain } from "./explain.js";
export { findNeighbours } from "./find-neighbours.js";
export type { Paragraph } from "./paragraph.js";
