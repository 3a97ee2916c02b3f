import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { parseAst } from "rolldown/parseAst";

/**
 * Every source file below these folders with its imports of our own files. Generated code imports none of them.
 *
 * @typedef {{ line: number, from: string, to: string, isType: boolean }} Import
 * @typedef {{ file: string, imports: Import[] }} SourceFile
 * @returns {SourceFile[]}
 */
export function readTree(root, folders) {
  const texts = {};
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(?:js|tsx?)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const file = relative(root, path).replaceAll(sep, "/");
      texts[file] = file.startsWith("packages/wire/gen/") || isForTests(file) ? "" : readFileSync(path, "utf8");
    }
  }
  return linkFiles(texts);
}

/** Tests, shared cases, fixtures, and everything outside the published code. */
export function isForTests(file) {
  return (
    /\.(?:test|cases)\.[jt]s$/.test(file) || /(?:^|\/)fixtures\//.test(file) || /^(?:tests|testing|bench)\//.test(file)
  );
}

/** The files of a tree with their imports, from the texts by path. */
export function linkFiles(texts) {
  return Object.entries(texts).map(([file, text]) => ({
    file,
    imports: importsIn(text, file.endsWith(".tsx") ? "tsx" : "ts").map(({ line, from, isType }) => ({
      line,
      from,
      isType,
      to: resolve(file, from, texts),
    })),
  }));
}

/** An import names the JavaScript that a TypeScript file becomes, from its own place or from another package of ours. */
function resolve(file, from, texts) {
  const path = from.startsWith("@curlew/")
    ? from.replace("@curlew/", "packages/")
    : posix.join(posix.dirname(file), from);
  const [source, element] = [".ts", ".tsx"].map((ending) => path.replace(/\.js$/, ending));
  if (element in texts) return element;
  return path in texts && !(source in texts) ? path : source;
}

/** @returns {{ line: number, from: string, isType: boolean }[]} imports of our own files, of every kind: static, lazy, passed on, types */
export function importsIn(text, lang = "ts") {
  const found = [];
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    const from = node.source?.value;
    // Styles are not code.
    if (typeof from === "string" && /^(?:\.|@curlew\/)/.test(from) && !from.endsWith(".css")) {
      const isType = node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type";
      found.push({ line: text.slice(0, node.start).split("\n").length, from, isType });
    }
    for (const [key, child] of Object.entries(node)) if (key !== "parent") visit(child);
  };
  visit(parseAst(text, { lang }));
  return found;
}
