import { join } from "node:path";
import { readJsonObject, type Workspace } from "./workspace.js";

/** The rules for what may run without a question. */
export interface Permissions {
  allows(kind: string, what: string): boolean;
  denies(kind: string, what: string): boolean;
}

/** The rules of `<workspace>/.cursor/cli.json`, such as `Mcp(server:tool)` or `Shell(**)`. */
export function readPermissions({ path }: Workspace): Permissions {
  const { permissions } = readJsonObject(join(path, ".cursor", "cli.json"));
  const lists = typeof permissions === "object" && permissions !== null ? (permissions as Record<string, unknown>) : {};
  return {
    allows: (kind, what) => matchesAny(lists.allow, kind, what),
    denies: (kind, what) => matchesAny(lists.deny, kind, what),
  };
}

function matchesAny(rules: unknown, kind: string, what: string): boolean {
  if (!Array.isArray(rules)) return false;
  return rules.some((rule: unknown) => {
    const [, ruleKind, glob = ""] = (typeof rule === "string" ? /^(\w+)\((.*)\)$/s.exec(rule) : null) ?? [];
    if (ruleKind !== kind) return false;
    // The short form names a server alone, or a command's first word.
    return matchesGlob(glob, what) || glob === what.split(/[:\s]/, 1)[0];
  });
}

function matchesGlob(glob: string, text: string): boolean {
  const [first = "", ...others] = glob.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from + last.length <= text.length;
}
