import { lstatSync, readFileSync } from "node:fs";

/** The result of `read`; undefined if the file or folder is missing. @throws Error of the file system for any other reason */
export function unlessMissing<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** The text of a file; undefined if it is missing. @throws Error that says why it cannot be read */
export function textUnlessMissing(path: string): string | undefined {
  try {
    // A dangling link does not count as missing: its target may be on a disk that is not mounted yet.
    return unlessMissing(() => lstatSync(path)) && readFileSync(path, "utf8");
  } catch (thrown) {
    throw new Error(`${path} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}.`, { cause: thrown });
  }
}
