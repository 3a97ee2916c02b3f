import { rmSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVER_NAME } from "./mcp/approvals.js";

/** Where one run of the CLI works, and where it keeps its own things meanwhile. */
export interface Workspace {
  readonly path: string;
  /** For `CURSOR_DATA_DIR`: trust, approvals, chats. The login is elsewhere. */
  readonly dataFolder: string;
  /** Called when the process is gone. */
  remove(): Promise<void>;
}

/** The built-in tools find nothing in an empty folder; this also keeps them from looking elsewhere. The client's may be called. */
const permissions = { allow: [`Mcp(${SERVER_NAME}:*)`], deny: ["Shell(**)", "Read(**)", "Write(**)", "WebFetch(**)"] };
const namePattern = /^curlew-cli-(\d+)-/;

/** Folders for single runs, so that no rules, files or chats of the user's get into a request, or out of one. */
export class Workspaces {
  readonly #parent: string;
  readonly #open = new Set<string>();

  /** `parent` is the system's folder for temporary things. */
  constructor(parent: string) {
    this.#parent = parent;
  }

  /** An empty one; or the folder of the user's that a request names, with nothing in it but what is there. */
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

  /** Removes what processes of ours that are dead now could not remove themselves. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#parent);
    await Promise.all(
      names.map(async (name) => {
        const pid = Number(namePattern.exec(name)?.[1]);
        if (!(pid > 0) || isAlive(pid)) return;
        const folder = join(this.#parent, name);
        const { uid } = await lstat(folder);
        if (uid === process.getuid?.() || process.getuid === undefined)
          await rm(folder, { recursive: true, force: true });
      }),
    );
  }

  /** For the moment in which our own process ends and nothing can be waited for. */
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
