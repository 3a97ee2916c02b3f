import { z } from "zod";

export const importSources = ["opencode", "cursor", "claude-code", "claude-desktop"] as const;
export type ImportSource = (typeof importSources)[number];

const MAX_SERVERS = 50;
const HOUR_MS = 60 * 60_000;

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
      /** The transport to the address; by default streamable HTTP, or SSE if that is refused. */
      transport: z.enum(["http", "sse"]).optional(),
      timeoutMs: z.int().min(100).max(HOUR_MS).default(60_000),
      allow: toolNames.optional(),
      deny: toolNames.default([]),
      disabled: z.boolean().default(false),
    })
    .refine(
      ({ command, url }) => (command === undefined) !== (url === undefined),
      "an object with either command or url",
    );
}

export type McpServerEntry = z.infer<ReturnType<typeof mcpServerEntry>>;

function shape() {
  const parts = {
    servers: z
      .record(z.string().min(1).max(64), mcpServerEntry())
      .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `at most ${MAX_SERVERS} servers`)
      .optional(),
    import: z.array(z.enum(importSources, `one of ${importSources.join(", ")}`)).optional(),
  };
  const names = Object.keys(parts).join(", ");
  return z.strictObject(parts, { error: ({ code }) => (code === "unrecognized_keys" ? `one of ${names}` : undefined) });
}

export type McpSettings = z.input<ReturnType<typeof shape>>;

export function mcpSettings(): z.ZodType<McpSettings> {
  return shape();
}
