import { rmSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVER_NAME } from "./mcp/approvals.js";

/** The folder in which one run of the CLI works, and the folder for the CLI's own files. */
export interface Workspace {
  readonly path: string;
  /** The value of `CURSOR_DATA_DIR`: trust, approvals, chats. The login is elsewhere. */
  readonly dataFolder: string;
  /** Called when the process has ended. */
  remove(): Promise<void>;
}

/** The folder is empty, and these rules keep the built-in tools from reading elsewhere. The client's tools may be called. */
const permissions = { allow: [`Mcp(${SERVER_NAME}:*)`], deny: ["Shell(**)", "Read(**)", "Write(**)", "WebFetch(**)"] };
const FOLDER_NAME = /^curlew-cli-(\d+)-/;

/**
 * Folders for single runs, so that the user's rules, files and chats do not get into a request, and nothing of a request gets
 * into them.
 */
export class Workspaces {
  readonly #parent: string;
  readonly #open = new Set<string>();

  /** `parent` is the system's folder for temporary files. */
  constructor(parent: string) {
    this.#parent = parent;
  }

  /** Opens an empty workspace, or one in the user's folder that a request names. */
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

  /** Removes folders of earlier gateway processes that ended without removing them. */
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
