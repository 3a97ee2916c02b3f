import type { OptionSpec } from "./flags.js";

const flag = (...flags: string[]): OptionSpec => ({ flags });
const value = (name: string, ...flags: string[]): OptionSpec => ({ flags, takes: { name } });
const choice = (name: string, choices: string[], ...flags: string[]): OptionSpec => ({
  flags,
  takes: { name, choices },
});
const optional = (name: string, ...flags: string[]): OptionSpec => ({ flags, takes: { name, optional: true } });

/** The flags that `--help` lists. */
export const listedFlags: readonly OptionSpec[] = [
  flag("-v", "--version"),
  value("key", "--api-key"),
  value("header", "-H", "--header"),
  flag("-p", "--print"),
  choice("format", ["text", "json", "stream-json"], "--output-format"),
  flag("--stream-partial-output"),
  choice("mode", ["plan", "ask"], "--mode"),
  flag("--plan"),
  optional("chatId", "--resume"),
  flag("--continue"),
  value("model", "--model"),
  flag("--list-models"),
  flag("-f", "--force"),
  flag("--yolo"),
  flag("--auto-review"),
  choice("mode", ["enabled", "disabled"], "--sandbox"),
  flag("--approve-mcps"),
  flag("--trust"),
  value("path-or-name", "--workspace"),
  value("path", "--add-dir"),
  value("path", "--plugin-dir"),
  optional("name", "-w", "--worktree"),
  value("branch", "--worktree-base"),
  flag("--skip-worktree-setup"),
  value("url", "-e", "--endpoint"),
  flag("-h", "--help"),
];

/** Flags that work and that `--help` does not list. */
const hiddenFlags: readonly OptionSpec[] = [
  value("token", "--auth-token"),
  flag("-k"),
  value("url", "--agent-endpoint"),
  value("names", "--exclude-tools"),
  value("text", "--system-prompt"),
  value("ms", "--background-shell-timeout"),
];

export const rootFlags: readonly OptionSpec[] = [...listedFlags, ...hiddenFlags];
