import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Every regular expression in the code that is published: literals, and expressions that are made at run time. */
export function findExpressions(root, folders) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isPublished(entry.name) && !entry.parentPath.includes(join("wire", "gen")))
      .map((entry) => join(entry.parentPath, entry.name))
      .flatMap((path) => {
        const file = relative(root, path).replaceAll(sep, "/");
        return expressionsIn(readFileSync(path, "utf8")).map((each) => ({ file, ...each }));
      }),
  );
}

function isPublished(name) {
  return /\.[jt]s$/.test(name) && !/\.(?:test|cases)\.ts$/.test(name);
}

/**
 * @returns {{ line: number, code: string, source?: string, flags?: string }[]} without a source when the expression is only
 *   known at run time
 */
export function expressionsIn(text) {
  const found = [];
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    const isLiteral = node.type === "Literal" && node.regex !== undefined;
    if (isLiteral || isMade(node)) {
      const line = text.slice(0, node.start).split("\n").length;
      const written = isLiteral ? { source: node.regex.pattern, flags: node.regex.flags } : {};
      found.push({ line, code: text.slice(node.start, node.end), ...written });
    }
    for (const [key, child] of Object.entries(node)) if (key !== "parent" && key !== "regex") visit(child);
  };
  visit(parseAst(text, { lang: "ts" }));
  return found;
}

function isMade({ type, callee }) {
  return (type === "NewExpression" || type === "CallExpression") && callee.name === "RegExp";
}
