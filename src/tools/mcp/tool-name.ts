import { createHash } from "node:crypto";

/** What every dialect takes as the name of a tool. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * `mcp__server__tool`, in characters that every dialect takes. Where it had to be shortened, or is taken already, a hash of the
 * whole name tells it apart: the same tool has the same name at every start.
 */
export function toolName(server: string, tool: string, isTaken: (name: string) => boolean): string {
  const plain = `mcp__${server}__${tool}`.replace(/[^\w-]/g, "_");
  if (plain.length <= MAX_LENGTH && !isTaken(plain)) return plain;
  for (let attempt = 0; ; attempt++) {
    const hash = createHash("sha256")
      .update(JSON.stringify([server, tool, attempt]))
      .digest("hex")
      .slice(0, HASH_LENGTH);
    const name = `${plain.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
    if (!isTaken(name)) return name;
  }
}
