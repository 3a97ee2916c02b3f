export { type Colors, noColors, wrap } from "./fitted.js";
export { createLogLines } from "./log-lines.js";
export { exactClockText, secondsText, shortId } from "./moments.js";
export { RequestLines, type ShownRequest } from "./request-line.js";
