export { explain } from "./causes.js";
export { durationText, type Paragraph } from "./continuity.js";
export { isErrorCode, remedies } from "./remedies.js";
export { chooseTurn, findNeighbours } from "./turns.js";
