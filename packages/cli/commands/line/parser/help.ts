import type { Command, Help, HelpConfiguration, Option } from "commander";
import type { CommandMachine } from "../../../terminal/command-machine.js";
import { colorsFor } from "../../../terminal/print.js";
import { BESIDE, type Example, isCommandGroup, type LoadedCommand } from "../definition.js";
import { LineOption } from "./line-command.js";
import { pathOf } from "./wrong-usage.js";

const PIPE_WIDTH = 80;
/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
/** Longer option names get their own line. */
const MAX_TERM = 30;
const PAGE = "docs/guide/commands.md";

export type HelpStyle = ReturnType<typeof helpStyle>;

export function helpStyle(argv: readonly string[], { stdout, env }: Pick<CommandMachine, "stdout" | "env">) {
  // Whether rare options and subcommands are shown too.
  const isLong = argv.some((word, at) => (word === "--help" || word === "-h") && argv[at + 1] === "all");
  return { stdout, colors: colorsFor(stdout, env), isLong };
}

export function helpOptions({ stdout, colors, isLong }: HelpStyle): HelpConfiguration {
  const { bold, cyan } = colors;
  return {
    minWidthToWrap: 20,
    helpWidth: Math.min((stdout.isTTY && stdout.columns) || PIPE_WIDTH, MAX_WIDTH),
    visibleOptions: (command) => visibleOptions(command, isLong),
    visibleCommands: (command) =>
      isLong ? withThoseBelow(command.commands) : command.commands.filter((each) => each.helpGroup() !== `${BESIDE}:`),
    optionTerm: (option) =>
      argOf(option)?.type === "switch" ? `--${option.name()}, --no-${option.name()}` : option.flags,
    optionDescription: (option) => optionDescription(option, isLong),
    subcommandTerm: (command) => pathOf(command).join(" "),
    padWidth: (command, helper) => Math.min(MAX_TERM, longestTerm(command, helper)),
    formatItem,
    styleTitle: bold,
    styleOptionText: cyan,
    styleSubcommandText: cyan,
    styleArgumentText: cyan,
  };
}

export function addProgramHelp(program: Command): void {
  program
    .usage("[command] [options]")
    .description("The models of your own Cursor subscription, for any AI client")
    .addHelpText(
      "after",
      `\nOptions of a command: curlew COMMAND --help\nAll commands: curlew --help all\nVersion: curlew --version\nGuide: ${PAGE}`,
    );
}

/** Adds examples and further pointers below a command's options. */
export function addCommandHelp(command: Command, loaded: LoadedCommand, style: HelpStyle): void {
  const path = pathOf(command);
  const rare = isCommandGroup(loaded) ? [] : Object.values(loaded.args).filter(({ use }) => use === "rare");
  const more = style.isLong || rare.length === 0 ? "" : `All options: curlew ${path.join(" ")} --help all\n`;
  const guide = `Guide: ${PAGE}#${["curlew", ...path].join("-")}`;
  command.addHelpText("after", () => {
    const examples = exampleLines(command.createHelp(), loaded.examples ?? [], style);
    return `\n${examples}${more}${guide}`;
  });
}

function exampleLines(helper: Help, examples: readonly Example[], { colors }: HelpStyle): string {
  if (examples.length === 0) return "";
  const { bold, cyan } = colors;
  const width = Math.max(...examples.map(([line]) => line.length));
  const items = examples.map(([line, about]) => formatItem(cyan(line), width, about, helper));
  return `${[bold("Examples:"), ...items].join("\n")}\n\n`;
}

function withThoseBelow(commands: readonly Command[]): Command[] {
  return commands.flatMap((command) => {
    const below = command.commands.map((each) => each.helpGroup(command.helpGroup()));
    return [command, ...below];
  });
}

function visibleOptions(command: Command, isLong: boolean): Option[] {
  if (command.parent === null) return []; // --help and --version go without saying
  const shown = command.options.filter((option) => {
    const use = argOf(option)?.use ?? "common";
    return !option.hidden && (use === "common" || (isLong && use === "rare"));
  });
  return [...shown, new LineOption("-h, --help", { type: "boolean", description: "Show help" })];
}

function argOf(option: Option) {
  return option instanceof LineOption ? option.arg : undefined;
}

function optionDescription(option: Option, isLong: boolean): string {
  const { description = option.description, variable, usual = option.defaultValue } = argOf(option) ?? {};
  const about = isLong ? description : inShort(description, variable !== undefined);
  const notes = [
    ...(isLong && variable !== undefined ? [variable] : []),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
  return notes.length === 0 ? about : `${about} (${notes.join("; ")})`;
}

/** The first sentence, and of a setting only its beginning. `--help all` shows the whole text. */
function inShort(text: string, isSetting: boolean): string {
  const [short = ""] = text.split(isSetting ? /[.;:]\s|, such as\s/ : /\.\s/);
  return short.replace(/\.$/, "");
}

function longestTerm(command: Command, helper: Help): number {
  return Math.max(
    helper.longestOptionTermLength(command, helper),
    helper.longestSubcommandTermLength(command, helper),
    helper.longestArgumentTermLength(command, helper),
  );
}

function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  if (description === "") return `  ${term}`;
  const column = termWidth + 4;
  const width = helper.displayWidth(term);
  const gap = width > termWidth ? `\n${" ".repeat(column)}` : " ".repeat(column - width - 2);
  const text = helper.boxWrap(description, (helper.helpWidth ?? PIPE_WIDTH) - column);
  return `  ${term}${gap}${text.replaceAll("\n", `\n${" ".repeat(column)}`)}`;
}
