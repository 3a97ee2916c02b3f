import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { Format } from "./format.js";

const print = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

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

  edit(text, edits) {
    const start = text.trim() === "" ? "{}\n" : text;
    const [, indent = "  "] = /^([ \t]+)\S/m.exec(start) ?? [];
    const insertSpaces = !indent.includes("\t");
    const formattingOptions = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol: "\n" };
    return edits.reduce(
      (now, { path, value }) => applyEdits(now, modify(now, [...path], value, { formattingOptions })),
      start,
    );
  },
};
