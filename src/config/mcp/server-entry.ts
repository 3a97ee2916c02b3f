import { z } from "zod";

const HOUR_MS = 60 * 60_000;

/** One MCP server as settings files describe it. What else stands there is not ours to understand. */
export function mcpServerEntry() {
  /** Names of tools; `*` stands for anything. */
  const toolNames = z.array(z.string().min(1)).max(1_000);
  const texts = z.record(z.string().min(1), z.string());
  return z
    .object({
      command: z.string().min(1).optional(),
      args: z.array(z.string()).default([]),
      env: texts.default({}),
      cwd: z.string().min(1).optional(),
      url: z
        .string()
        .regex(/^(https?:\/\/|\$\{env:)/, "an http or https address")
        .optional(),
      headers: texts.default({}),
      transport: z.enum(["http", "sse"]).optional(),
      timeoutMs: z.int().min(100).max(HOUR_MS).default(60_000),
      allow: toolNames.optional(),
      deny: toolNames.default([]),
      disabled: z.boolean().default(false),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), "either command or url is needed");
}

export type McpServerEntry = z.infer<ReturnType<typeof mcpServerEntry>>;
