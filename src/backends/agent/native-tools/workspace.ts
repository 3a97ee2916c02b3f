import { trimEndOf } from "../../../turn/trim-end-of.js";

/** What Cursor is told to be the workspace, since the client's real folders are not ours to tell. */
export const NEUTRAL_FOLDER = "/workspace";

/** True for the folder in which the client works anyway. */
export function isNeutralFolder(path: string | undefined): boolean {
  const trimmed = (path ?? "").trim();
  return trimmed === "" || [".", NEUTRAL_FOLDER].includes(trimEndOf(trimmed, "/"));
}
