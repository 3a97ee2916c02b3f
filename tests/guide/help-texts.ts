import { type Command, isCommandGroup } from "../../packages/cli/commands/line/definition.js";
import { runLine } from "../../packages/cli/commands/line/parser/run-line.js";
import { capturedMachine } from "../../testing/programs/captured-machine.js";

/** The help that a command line prints into a pipe. */
export async function helpOf(commands: readonly Command[], words: readonly string[]): Promise<string> {
  const machine = capturedMachine();
  await runLine(commands, words, machine);
  return machine.stdout.text;
}

/** The help of every command, each with its own heading. */
export async function helpPage(commands: readonly Command[]): Promise<string> {
  const sections = commands.map(async ({ name, load }) => {
    const loaded = await load();
    const below = isCommandGroup(loaded) ? Object.keys(loaded.subCommands).map((word) => [name, word]) : [];
    const parts = [[name], ...below].map(async (words) => {
      const heading = `### ${["curlew", ...words].join(" ")}`;
      return `${heading}\n\n\`\`\`text\n${(await helpOf(commands, [...words, "--help"])).trimEnd()}\n\`\`\``;
    });
    return (await Promise.all(parts)).join("\n\n");
  });
  return (await Promise.all(sections)).join("\n\n");
}
