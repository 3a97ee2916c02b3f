import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { makeFolder } from "../make-folder.js";
import { replaceFile } from "../replace-file.js";
import { pathOf, type RunFile, readRunFile } from "./run-file.js";

const TOKEN_BYTES = 32;

export function newControlToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/**
 * Writes down how the owner's commands reach this gateway. Returns the function that withdraws it.
 * @throws Error of the file system when it cannot be written
 */
export function announce(folder: string, run: RunFile): () => void {
  const path = pathOf(folder, new URL(run.url).port || "80");
  makeFolder(folder);
  replaceFile(path, `${JSON.stringify(run)}\n`);
  return () => {
    // Another gateway may have taken the port since.
    if (readRunFile(path)?.token === run.token) rmSync(path, { force: true });
  };
}
