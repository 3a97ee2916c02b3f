import { rmSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isAlive } from "../../system/is-alive.js";
import { GatewayError } from "../../turn/error.js";
import { SERVER_NAME } from "./mcp/approvals.js";

/** The folder in which one run of the CLI works, and the folder for the CLI's own files. */
export interface Workspace {
  readonly path: string;
  /** The value of `CURSOR_DATA_DIR`: trust, approvals, chats. The login is elsewhere. */
  readonly dataFolder: string;
  remove(): Promise<void>;
}

/** The folder is empty, and these rules keep the built-in tools from reading elsewhere. The client's tools may be called. */
const permissions = { allow: [`Mcp(${SERVER_NAME}:*)`], deny: ["Shell(**)", "Read(**)", "Write(**)", "WebFetch(**)"] };
const FOLDER_NAME = /^curlew-cli-(\d+)-/;

/** Folders for single runs, which keep the user's rules, files and chats apart from requests. */
export class Workspaces {
  readonly #parent: string;
  readonly #open = new Set<string>();

  constructor(parent: string) {
    this.#parent = parent;
  }

  async open(named?: string): Promise<Workspace> {
    const folder = await mkdtemp(join(await realpath(this.#parent), `curlew-cli-${process.pid}-`));
    this.#open.add(folder);
    const dataFolder = join(folder, "data");
    await mkdir(dataFolder);
    const path = named ?? join(folder, "work");
    if (named === undefined) {
      await mkdir(join(path, ".cursor"), { recursive: true });
      await writeFile(join(path, ".cursor", "cli.json"), JSON.stringify({ permissions }));
    }
    return { path, dataFolder, remove: () => this.#remove(folder) };
  }

  async removeAll(): Promise<void> {
    await Promise.all([...this.#open].map((folder) => this.#remove(folder)));
  }

  async sweep(): Promise<void> {
    const names = await readdir(this.#parent);
    await Promise.all(
      names.map(async (name) => {
        const pid = Number(FOLDER_NAME.exec(name)?.[1]);
        if (!(pid > 0) || isAlive(pid)) return;
        const folder = join(this.#parent, name);
        const { uid } = await lstat(folder);
        if (uid === process.getuid?.() || process.getuid === undefined)
          await rm(folder, { recursive: true, force: true });
      }),
    );
  }

  /** For the exit of our own process, when nothing can be awaited. */
  removeAllNow(): void {
    for (const folder of this.#open) rmSync(folder, { recursive: true, force: true });
  }

  async #remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    this.#open.delete(folder);
  }
}

/** The real path of a folder that a request names; links are resolved before any comparison. @throws GatewayError if it is not allowed */
export async function checkWorkspace(named: string, roots: readonly string[]): Promise<string> {
  if (roots.length === 0) {
    const fix = "The setting workspaceRoots lists the allowed folders.";
    throw refused("permission_denied", `Requests cannot choose a workspace here. ${fix}`);
  }
  if (!isAbsolute(named)) throw refused("invalid_request", `The workspace ${named} is not an absolute path.`);
  const real = await realpath(named).catch(() => undefined);
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  // The error does not reveal whether a folder outside the roots exists.
  if (real === undefined || !realRoots.some((root) => root !== undefined && isBelow(real, root))) {
    const text = `The workspace ${named} is not below a folder that the setting workspaceRoots allows, or does not exist.`;
    throw refused("permission_denied", text);
  }
  if (!(await stat(real)).isDirectory()) throw refused("invalid_request", `The workspace ${named} is not a folder.`);
  return real;
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function refused(code: "permission_denied" | "invalid_request", text: string): GatewayError {
  return new GatewayError(code, text, { param: "x-curlew-workspace" });
}
