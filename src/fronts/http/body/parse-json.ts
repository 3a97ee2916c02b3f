import { isUtf8 } from "node:buffer";
import { GatewayError } from "../../../turn/error.js";
import { refuseOversized } from "./body-shape.js";
import { findJsonFault } from "./json-fault.js";

/** In a longer text the place of a fault is not looked for: it takes a tenth of a second for every megabyte. */
const MAX_SEARCHED_CHARACTERS = 2 * 1024 * 1024;

/** The JSON of a request body. What is wrong with it is told by its place, never by its text. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The body is not valid UTF-8 text.");
  refuseOversized(bytes);
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (text.trim() === "") throw new GatewayError("invalid_json", "The body is empty; send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
    if (text.length > MAX_SEARCHED_CHARACTERS) throw new GatewayError("invalid_json", "The body is not valid JSON.");
    const { offset, line, column, isCut } = findJsonFault(text);
    const place = `line ${line}, column ${column} (position ${offset})`;
    throw new GatewayError(
      "invalid_json",
      isCut
        ? `The body is cut off: it ends in the middle of its JSON, at ${place}.`
        : `The body is not valid JSON at ${place}.`,
    );
  }
}
