import { z } from "zod";
import { mcpServerEntry } from "./server-entry.js";

/** Whose settings files MCP servers can be taken over from. */
export const importSources = ["opencode", "cursor", "claude-code", "claude-desktop"] as const;
export type ImportSource = (typeof importSources)[number];

const MAX_SERVERS = 50;

function shape() {
  return z.strictObject({
    servers: z
      .record(z.string().min(1).max(64), mcpServerEntry())
      .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `at most ${MAX_SERVERS} servers`)
      .optional(),
    import: z.array(z.enum(importSources, `one of ${importSources.join(", ")}`)).optional(),
  });
}

export type McpSettings = z.input<ReturnType<typeof shape>>;

/** The key `mcp` of curlew.json. Its error names the place and never the value, which may be a secret. */
export function mcpSettings(): z.ZodType<McpSettings> {
  return z.unknown().transform((given, context) => {
    const read = shape().safeParse(given);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const place = ["mcp", ...(issue?.path ?? [])].map(String).join(".");
    context.addIssue({ code: "custom", message: `an object with servers and import (${place}: ${issue?.message})` });
    return z.NEVER;
  });
}
