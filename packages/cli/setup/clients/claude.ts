import { join } from "node:path";
import { type Client, keyFor, type Target } from "../client.js";
import { json } from "../formats/json.js";

export const claude: Client = {
  name: "claude",
  aliases: ["claude-code"],
  title: "Claude Code",
  command: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  isProven: true,
  file: {
    paths: ({ env, homeDirectory }) => [join(env.CLAUDE_CONFIG_DIR || join(homeDirectory, ".claude"), "settings.json")],
    format: json,
    wanted: (target) => ({ env: variables(target) }),
    modelAt: ["env", "ANTHROPIC_MODEL"],
  },
  savings: [
    "ENABLE_TOOL_SEARCH=auto: otherwise each tool that Claude Code loads on demand, such as all of MCP, is another run. The",
    "  definitions are sent at once: 7,000 tokens for its own. Above a tenth of the context window, it loads them on demand.",
  ],
  notes: () => ["Start claude. These settings override your shell's variables."],
  // Claude Code's settings file overrides these variables in the environment, and this flag overrides that file.
  launch: (target, { folder }) => ({
    args: ["--settings", join(folder, "settings.json")],
    env: variables(target),
    files: { "settings.json": json.print({ env: variables(target) }) },
  }),
};

/** The range of `CLAUDE_CODE_AUTO_COMPACT_WINDOW`; Claude Code complains about anything else. */
const compactTokens = { min: 100_000, max: 1_000_000 };

function variables(target: Target): Record<string, string> {
  const { url, model, smallModel, contextTokens } = target;
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: keyFor(target, "claude"),
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ENABLE_TOOL_SEARCH: "auto",
    // Claude Code assumes a million tokens for an unknown name, unless this variable says otherwise.
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextTokens),
    // For names that it knows, Claude Code ignores that variable, and assumes a million for some of them too.
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(Math.min(Math.max(contextTokens, compactTokens.min), compactTokens.max)),
  };
}
