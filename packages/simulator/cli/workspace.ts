import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { World } from "./world.js";

/** A folder in which the CLI works, and the state it stores for it. */
export interface Workspace {
  readonly path: string;
  /** The top level of the git repository, else the folder itself. */
  readonly root: string;
  /** `<data>/projects/<slug>` */
  readonly stateFolder: string;
}

export function openWorkspace(path: string | undefined, world: Pick<World, "cwd" | "env">): Workspace {
  const asked = resolve(world.cwd, path ?? ".");
  const real = existsSync(asked) ? realpathSync(asked) : asked;
  const root = gitTopLevel(real) ?? real;
  return { path: real, root, stateFolder: join(dataFolder(world.env), "projects", slugOf(root)) };
}

export function dataFolder(env: World["env"]): string {
  return env.CURSOR_DATA_DIR ?? join(env.HOME ?? env.USERPROFILE ?? ".", ".cursor");
}

export function slugOf(root: string): string {
  return root.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

export function approvalKey(name: string, root: string, config: object): string {
  const hash = createHash("sha256").update(JSON.stringify({ path: root, server: config }));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}

export function isApproved({ root, stateFolder }: Workspace, name: string, config: object): boolean {
  return readApprovals(stateFolder).includes(approvalKey(name, root, config));
}

export function approve({ root, stateFolder }: Workspace, name: string, config: object): void {
  const approvals = new Set([...readApprovals(stateFolder), approvalKey(name, root, config)]);
  mkdirSync(stateFolder, { recursive: true });
  writeFileSync(join(stateFolder, "mcp-approvals.json"), JSON.stringify([...approvals], null, 2));
}

export function isTrusted({ stateFolder }: Workspace): boolean {
  return existsSync(join(stateFolder, ".workspace-trusted"));
}

/** Reads a JSON object from a file. A missing or broken file counts as empty, as in the CLI. */
export function readJsonObject(path: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readApprovals(stateFolder: string): string[] {
  const keys = Object.values(readJsonObject(join(stateFolder, "mcp-approvals.json")));
  return keys.filter((key) => typeof key === "string");
}

function gitTopLevel(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : gitTopLevel(parent);
}
