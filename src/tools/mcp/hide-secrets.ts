import type { McpServerConfig } from "./server-config.js";

const SHORTEST = 6;
const telling = /key|token|secret|passw|auth|credential/i;

/** What a server says, without what it was told in confidence: people read it, and so do models. */
export function hideSecrets(text: string, { headers, env }: Pick<McpServerConfig, "headers" | "env">): string {
  const named = Object.entries(env).filter(([name]) => telling.test(name));
  const values = [...Object.values(headers), ...named.map(([, value]) => value)];
  // `Bearer ...`: the word is none, what follows is one.
  const secrets = values.flatMap((value) => value.split(" ")).filter((part) => part.length > SHORTEST);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}
