import { isUtf8 } from "node:buffer";
import { GatewayError } from "../../../turn/error.js";
import { refuseOversized } from "./body-shape.js";
import { findJsonFault } from "./json-fault.js";

/** In longer texts the fault is not searched for: that takes a tenth of a second for every megabyte. */
const MAX_SEARCHED_CHARACTERS = 2 * 1024 * 1024;

/**
 * The JSON of a request body. The error gives the position of a fault and never quotes the text.
 *
 * @throws {GatewayError} `invalid_json`, or `invalid_request` for a body with too much in it.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The body is not valid UTF-8 text.");
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  refuseOversized(text);
  if (text.trim() === "") throw new GatewayError("invalid_json", "The body is empty; send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
    if (text.length > MAX_SEARCHED_CHARACTERS) throw new GatewayError("invalid_json", "The body is not valid JSON.");
    const { offset, line, column, isCut } = findJsonFault(text);
    const position = `line ${line}, column ${column} (position ${offset})`;
    throw new GatewayError(
      "invalid_json",
      isCut
        ? `The body is cut off: it ends in the middle of its JSON, at ${position}.`
        : `The body is not valid JSON at ${position}.`,
    );
  }
}
