import { type Client, keyFor, type Target } from "../client.js";
import { assignment } from "../shells.js";

/** Any program that reads the variables of the official SDKs. */
export const plainEnv: Client = {
  name: "env",
  title: "Environment",
  isProven: true,
  // These lines can be pasted into a shell; the key itself is never shown.
  notes: (target, shell = "posix") =>
    Object.entries(variables(target)).map(([name, value]) =>
      assignment(shell, name, value === target.key ? { variable: "CURLEW_KEY" } : value),
    ),
  launch: (target) => ({ env: variables(target) }),
};

function variables(target: Target): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${target.url}/v1`,
    OPENAI_API_KEY: keyFor(target),
    OPENAI_MODEL: target.model,
    ANTHROPIC_BASE_URL: target.url,
    ANTHROPIC_AUTH_TOKEN: keyFor(target),
    ANTHROPIC_MODEL: target.model,
  };
}
