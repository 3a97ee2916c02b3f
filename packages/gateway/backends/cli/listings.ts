import { field, parseJson } from "../../turn/read-json.js";
import type { Model, OwnLogin, RequestedModel } from "../backend.js";

/** Matches colours, cursor moves and titles. JSON never contains a bare escape, so it is not damaged. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for
const ESCAPE_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const ROW = /^([A-Za-z0-9][\w.:/[\],=-]*) - (.+)$/;

export function stripAnsi(text: string): string {
  return text.includes("\u001b") ? text.replace(ESCAPE_SEQUENCES, "") : text;
}

/** Reads the login state, from JSON or from text. The exit code is 0 either way, and "Not logged in" contains "logged in". */
export function readStatus(output: string): OwnLogin {
  const text = stripAnsi(output);
  const json = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  const isAuthenticated = field(json, "isAuthenticated");
  if (typeof isAuthenticated === "boolean") return isAuthenticated ? "logged-in" : "logged-out";
  if (/not logged in|not authenticated|authentication required|logged out/i.test(text)) return "logged-out";
  return /logged in/i.test(text) ? "logged-in" : "unknown";
}

export function readModels(output: string): Model[] {
  return stripAnsi(output)
    .split("\n")
    .flatMap((line): Model[] => {
      const [, id, rest] = ROW.exec(line.trim()) ?? [];
      if (id === undefined || rest === undefined) return [];
      const name = withoutMarks(rest) || id;
      // Every other list calls this model `default`.
      if (id === "auto") return [{ id: "default", name, aliases: ["auto"], canThink: true, canMax: false }];
      return [{ id, name, aliases: [], canThink: /thinking/.test(id), canMax: false }];
    });
}

/** The value for `--model`. It is always given: without it the CLI uses its user's last choice. */
export function modelArgument({ id, parameters }: RequestedModel): string {
  const name = id === "default" ? "auto" : id;
  if (parameters.length === 0) return name;
  return `${name}[${parameters.map((each) => `${each.id}=${each.value}`).join(",")}]`;
}

/** Removes `(default)`, `(current)`, `(NO ZDR)` at the end. */
function withoutMarks(name: string): string {
  let bare = name.trim();
  while (bare.endsWith(")")) {
    const inside = bare.slice(bare.lastIndexOf("(") + 1, -1);
    if (inside.includes(")") || inside.length + 1 === bare.length) break;
    bare = bare.slice(0, -inside.length - 2).trimEnd();
  }
  return bare;
}
