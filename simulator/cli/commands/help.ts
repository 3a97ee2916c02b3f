import { describe } from "../flags.js";
import { listedFlags } from "../root-flags.js";

const commands = [
  "login",
  "logout",
  "mcp",
  "status|whoami",
  "models",
  "about",
  "update",
  "create-chat",
  "ls",
  "resume",
];

export function help(): string {
  const options = listedFlags.map((spec) => `  ${describe(spec)}\n`).join("");
  const names = commands.map((name) => `  ${name}\n`).join("");
  return `Usage: agent [options] [command] [prompt...]\n\nOptions:\n${options}\nCommands:\n${names}`;
}
