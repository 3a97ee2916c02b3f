import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "../../../system/replace-file.js";
import { parseJson } from "../../../turn/read-json.js";

/** The CLI's name for our MCP server. It is in front of each tool name and in the list of permissions. */
export const SERVER_NAME = "gw";

/** The approvals of one workspace. Changes run one after another, because each reads what the last one wrote. */
export class Approvals {
  readonly root: string;
  readonly #file: string;
  #last: Promise<void> = Promise.resolve();

  constructor(dataFolder: string, root: string) {
    this.root = root;
    this.#file = approvalFile(dataFolder, root);
  }

  add(keys: readonly string[]): Promise<void> {
    return this.#change((all) => [...new Set([...all, ...keys])]);
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#change((all) => all.filter((key) => !keys.some((gone) => gone === key)));
  }

  settled(): Promise<void> {
    return this.#last;
  }

  #change(edit: (all: readonly unknown[]) => readonly unknown[]): Promise<void> {
    const change = this.#last.then(async () => {
      const parsed = parseJson(await readFile(this.#file, "utf8").catch(() => ""));
      // Entries of others are kept, whatever they are. The CLI ignores a file that is not a list, and so do we.
      const all: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
      const edited = edit(all);
      if (edited.length === all.length) return;
      await mkdir(dirname(this.#file), { recursive: true });
      // The CLI may read at any time: it finds the old list or the new one, never half of either.
      replaceFile(this.#file, JSON.stringify(edited));
    });
    this.#last = change.catch(() => {});
    return change;
  }
}

/** The CLI's key of an approved MCP server; it silently leaves out servers without one (docs/protocol/wire.md, command line). */
export function approvalKey(name: string, root: string, config: object): string {
  const hash = createHash("sha256").update(JSON.stringify({ path: root, server: config }));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}

/** The file in which the CLI keeps the keys of a workspace; `root` is its real path. */
export function approvalFile(dataDir: string, root: string): string {
  const slug = root.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return join(dataDir, "projects", slug, "mcp-approvals.json");
}

/** The folder for which the CLI stores approvals: the repository that contains the workspace, else the workspace. */
export async function projectRoot(workspace: string): Promise<string> {
  const path = await realpath(workspace);
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return path;
  }
}
