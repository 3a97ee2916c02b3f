import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";

/**
 * Copies a file, or a folder with all that is in it, with modes and times. When it returns, the copy survives a power cut.
 * @throws Error of the file system; a part of the copy may be there then
 */
export function copyTree(from: string, to: string): void {
  const found = lstatSync(from);
  if (found.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
    return;
  }
  if (found.isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name));
  } else if (found.isFile()) copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  else return; // sockets and the like are nothing without their process
  utimesSync(to, found.atime, found.mtime);
  flush(to);
}

function flush(path: string): void {
  if (process.platform === "win32") return; // it flushes only what is open for writing
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
