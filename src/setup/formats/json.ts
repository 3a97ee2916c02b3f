import { type ParseError, parse } from "jsonc-parser";
import { firstFlaw } from "../../json-flaw.js";
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
    const flaw = firstFlaw(text, errors);
    if (flaw === undefined) return value;
    throw new Error(`${flaw.what} (line ${flaw.line}, column ${flaw.column})`);
  },

  edit: (text, edits) => edits.reduce(editJson, text.trim() === "" ? "{}\n" : text),
};
