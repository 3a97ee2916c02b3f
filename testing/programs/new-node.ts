import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A program in this folder that says it is a Node that is new enough for Cursor's SDK, whatever runs the tests. Node 20 has no
 * permission model by that name, so there it runs without one; tests/official-sdk/ has real Nodes.
 */
export function installNewNode(folder: string): string {
  const isOld = process.versions.node.startsWith("20.");
  const node = join(folder, "node");
  const dropPermissions = `for each; do shift; case $each in --permission|--allow-*|--disable-*) ;; *) set -- "$@" "$each" ;; esac; done`;
  const lines = [
    "#!/bin/sh",
    `[ "$1" = --version ] && exec echo v${isOld ? "24.0.0" : process.versions.node}`,
    ...(isOld ? [dropPermissions] : []),
    `exec '${process.execPath}' "$@"`,
  ];
  writeFileSync(node, `${lines.join("\n")}\n`, { mode: 0o755 });
  return node;
}
