import type { Model, RequestedModel } from "../backend.js";
import { stripAnsi } from "./strip-ansi.js";

const row = /^([A-Za-z0-9][\w.:/[\],=-]*) - (.+)$/;

/** The rows of `cursor-agent models`. */
export function readModels(output: string): Model[] {
  return stripAnsi(output)
    .split("\n")
    .flatMap((line): Model[] => {
      const [, id, rest] = row.exec(line.trim()) ?? [];
      if (id === undefined || rest === undefined) return [];
      const name = withoutMarks(rest) || id;
      // The same model has this name everywhere else.
      if (id === "auto") return [{ id: "default", name, aliases: ["auto"], canThink: true, canMax: false }];
      return [{ id, name, aliases: [], canThink: /thinking/.test(id), canMax: false }];
    });
}

/** For `--model`, which is always given: without it the CLI takes whatever its user chose last. */
export function modelArgument({ id, parameters }: RequestedModel): string {
  const name = id === "default" ? "auto" : id;
  if (parameters.length === 0) return name;
  return `${name}[${parameters.map((each) => `${each.id}=${each.value}`).join(",")}]`;
}

/** Without `(default)`, `(current)`, `(NO ZDR)` at the end. */
function withoutMarks(name: string): string {
  let bare = name.trim();
  while (bare.endsWith(")")) {
    const inside = bare.slice(bare.lastIndexOf("(") + 1, -1);
    if (inside.includes(")") || inside.length + 1 === bare.length) break;
    bare = bare.slice(0, -inside.length - 2).trimEnd();
  }
  return bare;
}
