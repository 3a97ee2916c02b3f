import { access, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder by which the CLI remembers approvals: the repository that a workspace lies in, else the workspace. */
export async function projectRoot(workspace: string): Promise<string> {
  const path = await realpath(workspace);
  for (let folder = path; ; folder = dirname(folder)) {
    if (await exists(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return path;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
