import { isUtf8 } from "node:buffer";
import { GatewayError } from "../turn/error.js";
import { refuseOversized } from "./body-shape.js";
import { findJsonFault } from "./json-fault.js";

/** The JSON of a request body. What is wrong with it is told by its place, never by its text. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The body is not valid UTF-8 text.");
  refuseOversized(bytes);
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (text.trim() === "") throw new GatewayError("invalid_json", "The body is empty; send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
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
