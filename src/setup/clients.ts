import type { Client } from "./client.js";
import { aider } from "./clients/aider.js";
import { claude } from "./clients/claude.js";
import { cline } from "./clients/cline.js";
import { cliproxyapi } from "./clients/cliproxyapi.js";
import { codex } from "./clients/codex.js";
import { continueDev } from "./clients/continue.js";
import { droid } from "./clients/droid.js";
import { plainEnv } from "./clients/env.js";
import { litellm } from "./clients/litellm.js";
import { newApi } from "./clients/new-api.js";
import { openWebui } from "./clients/open-webui.js";
import { opencode } from "./clients/opencode.js";
import { omp, pi } from "./clients/pi.js";
import { qwen } from "./clients/qwen.js";
import { zed } from "./clients/zed.js";

export const clients: readonly Client[] = [
  ...[opencode, codex, claude, continueDev, cline, qwen, pi],
  ...[omp, droid, zed, aider, litellm, cliproxyapi, newApi, openWebui, plainEnv],
];

export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return clients.find((client) => client.name === wanted || client.aliases?.includes(wanted));
}
