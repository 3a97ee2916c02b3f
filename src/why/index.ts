export { durationText } from "./amounts.js";
export { explain } from "./causes.js";
export type { Paragraph } from "./continuity.js";
export { isErrorCode, remedies } from "./remedies.js";
export { chooseTurn, findNeighbours } from "./turns.js";
