// The tested versions: the newest that can be installed from the registry.

/** Some clients want a newer Node than Curlew itself. */
export const nodeVersion = "24.21.0";

/**
 * Versions by command. `scripts` are packages whose install script fetches the binary for this machine. `before` pins the
 * dependencies to a day, because later versions are incompatible.
 */
export const packages = {
  opencode: { name: "opencode-ai", version: "1.18.33", scripts: ["opencode-ai"] },
  codex: { name: "@openai/codex", version: "0.166.0" },
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.325", scripts: ["@anthropic-ai/claude-code"] },
  // 1.0.3 to 1.5.0 depend on package versions that the registry does not have.
  pi: { name: "@earendil-works/pi-coding-agent", version: "0.87.1", before: "2026-11-08" },
  qwen: { name: "@qwen-code/qwen-code", version: "0.24.4" },
  cn: { name: "@continuedev/cli", version: "1.5.47" },
  cline: { name: "cline", version: "3.0.65", before: "2026-11-08" },
};
