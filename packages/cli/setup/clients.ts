import type { Client } from "./client.js";
import { claude } from "./clients/claude.js";
import { cline } from "./clients/cline.js";
import { codex } from "./clients/codex.js";
import { continueDev } from "./clients/continue.js";
import { opencode } from "./clients/opencode.js";
import { omp, pi } from "./clients/pi.js";
import { aider, cliproxyapi, droid, litellm, newApi, openWebui, plainEnv, qwen } from "./clients/simple-clients.js";
import { zed } from "./clients/zed.js";

export const clients: readonly Client[] = [
  ...[opencode, codex, claude, continueDev, cline, qwen, pi],
  ...[omp, droid, zed, aider, litellm, cliproxyapi, newApi, openWebui, plainEnv],
];

export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return clients.find((client) => client.name === wanted || client.aliases?.includes(wanted));
}
