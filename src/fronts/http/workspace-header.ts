import type { IncomingHttpHeaders } from "node:http";
import { isAbsolute } from "node:path";
import { GatewayError } from "../../turn/error.js";
import type { Turn } from "../../turn/turn.js";

const HEADER = "x-curlew-workspace";
const MAX_BYTES = 4_096;

/** The folder that a request of any dialect is about. Whether it may be is for the backend to say: only some have a use for it. */
export function withWorkspace(turn: Turn, headers: IncomingHttpHeaders): Turn {
  const value = headers[HEADER];
  if (typeof value !== "string" || value === "") return turn;
  // Node reads headers as Latin-1, and paths are UTF-8.
  const workspace = Buffer.from(value, "latin1").toString("utf8");
  if (!isAbsolute(workspace) || value.length > MAX_BYTES) {
    const text = `${HEADER} must be the absolute path of a folder on the gateway's machine, of at most ${MAX_BYTES} bytes.`;
    throw new GatewayError("invalid_request", text, { param: HEADER });
  }
  return { ...turn, workspace };
}
