import { bashScript } from "./completion/bash.js";
import { type DescribedCommand, describeCommands } from "./completion/described-command.js";
import { fishScript } from "./completion/fish.js";
import { powershellScript } from "./completion/powershell.js";
import { zshScript } from "./completion/zsh.js";
import type { Command } from "./line/command.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";

const scripts: Readonly<Record<string, (commands: readonly DescribedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};
const shells = Object.keys(scripts);

/** The command that prints a shell's completion script for all commands. */
export function completionFor(commands: readonly Command[]) {
  return defineCommand({
    examples: [
      ["curlew completion bash", ""],
      ["curlew completion fish > ~/.config/fish/completions/curlew.fish", ""],
    ],
    args: {
      shell: { type: "positional", description: shells.join(", "), valueHint: shells.join("|") },
    },
    async run({ args }) {
      const { shell = "" } = args;
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (script === undefined) {
        throw new CommandFailure(2, `Name one shell: curlew completion ${shells.join("|")}`);
      }
      process.stdout.write(script(await describeCommands(commands)));
    },
  });
}
