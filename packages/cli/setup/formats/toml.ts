import { parse, patch, stringify } from "@decimalturn/toml-patch";
import { attempt } from "../attempt.js";
import { isObject, setIn } from "../merge.js";
import { type Format, transplant } from "./format.js";

/** Clients read TOML 1.0, which has no comma after the last entry of an inline table. */
const layout = { trailingComma: false };

export const toml: Format = {
  name: "TOML",
  // The parser's objects have no prototype, which would make equal values differ.
  parse: (text) => structuredClone(parse(text)),
  print: (value) => sections(value, []).trimStart(),

  edit: (text, edits) =>
    edits.reduce(
      (now, edit) => {
        // If possible, a new table becomes a section at the end, as people write it.
        const extended = `${now}${now === "" || now.endsWith("\n") ? "" : "\n"}${sections(edit.value, edit.path)}`;
        if (isObject(edit.value) && attempt(() => parse(extended)) !== undefined) return extended;
        const wanted = parse(now);
        setIn(wanted, edit);
        const after = patch(now, wanted, layout);
        const kept = transplant(now, patch(now, parse(now), layout), after);
        // An undo that changes the layout is better than none.
        if (kept === undefined && edit.value !== undefined)
          throw new Error("the change does not fit into the file's lines");
        return kept ?? after;
      },
      text.replaceAll("\r\n", "\n"), // the editor would complain about mixed line ends on the console
    ),
};

function sections(value: unknown, path: readonly (string | number)[]): string {
  if (!isObject(value)) return "";
  const entries = Object.entries(value);
  const own = Object.fromEntries(entries.filter(([, each]) => !isObject(each)));
  const names = path.map((key) => (/^[\w-]+$/.test(String(key)) ? key : JSON.stringify(key)));
  const head = path.length === 0 ? "" : `\n[${names.join(".")}]\n`;
  const below = entries.filter(([, each]) => isObject(each)).map(([key, each]) => sections(each, [...path, key]));
  return [Object.keys(own).length === 0 ? "" : `${head}${stringify(own)}`, ...below].join("");
}
