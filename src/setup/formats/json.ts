import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { Format } from "./format.js";
import { editJson } from "./json-edit.js";
import { printJson } from "./json-layout.js";

const print = (value: unknown) => `${printJson(value, "  ")}\n`;

/** JSON, including comments and trailing commas, which many clients allow. */
export const json: Format = {
  name: "JSON",
  print,

  parse(text) {
    if (text.trim() === "") return {};
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return value;
    const line = text.slice(0, first.offset).split("\n").length;
    throw new Error(`${printParseErrorCode(first.error)} in line ${line}`);
  },

  edit: (text, edits) => edits.reduce(editJson, text.trim() === "" ? "{}\n" : text),
};
