import { z } from "zod";

/** Whose settings files MCP servers can be taken over from. */
export const importSources = ["opencode", "cursor", "claude-code", "claude-desktop"] as const;
export type ImportSource = (typeof importSources)[number];

const MAX_SERVERS = 50;
const HOUR_MS = 60 * 60_000;

/** One MCP server as settings files describe it. Other keys are ignored. */
export function mcpServerEntry() {
  /** Names of tools; `*` stands for anything. */
  const toolNames = z.array(z.string().min(1)).max(1_000);
  const texts = z.record(z.string().min(1), z.string());
  return z
    .object({
      /** A program that speaks on its standard streams; otherwise there is a `url`. */
      command: z.string().min(1).optional(),
      args: z.array(z.string()).default([]),
      env: texts.default({}),
      cwd: z.string().min(1).optional(),
      url: z
        .string()
        .regex(/^(https?:\/\/|\$\{env:)/, "an http or https address")
        .optional(),
      headers: texts.default({}),
      /** How the address is spoken to; without it, streamable HTTP and, where that is refused, SSE. */
      transport: z.enum(["http", "sse"]).optional(),
      timeoutMs: z.int().min(100).max(HOUR_MS).default(60_000),
      allow: toolNames.optional(),
      deny: toolNames.default([]),
      disabled: z.boolean().default(false),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), "either command or url is needed");
}

export type McpServerEntry = z.infer<ReturnType<typeof mcpServerEntry>>;

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

/** The key `mcp` of curlew.json. Its error names the key and never the value, which may be a secret. */
export function mcpSettings(): z.ZodType<McpSettings> {
  return z.preprocess((given, context) => {
    const [issue] = shape().safeParse(given).error?.issues ?? [];
    if (issue === undefined) return given;
    const path = ["mcp", ...issue.path].map(String).join(".");
    context.addIssue({ code: "custom", message: `an object with servers and import (${path}: ${issue.message})` });
    return z.NEVER;
  }, shape());
}
