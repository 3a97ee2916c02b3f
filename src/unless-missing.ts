/**
 * The result of `read`; undefined if there is no such file or folder.
 * @throws Error of the file system for any other reason
 */
export function unlessMissing<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw thrown;
  }
}
