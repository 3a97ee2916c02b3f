import type { Client } from "./client.js";
import { claude } from "./clients/claude.js";
import { cline } from "./clients/cline.js";
import { codex } from "./clients/codex.js";
import { continueDev } from "./clients/continue.js";
import { opencode } from "./clients/opencode.js";
import { pi } from "./clients/pi.js";
import { qwen } from "./clients/qwen.js";

export const clients: readonly Client[] = [opencode, codex, claude, continueDev, cline, qwen, pi];

export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return clients.find((client) => client.name === wanted || client.aliases?.includes(wanted));
}
