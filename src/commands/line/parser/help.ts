import type { Command, Help, HelpConfiguration, Option } from "commander";
import { colorsFor } from "../colors.js";
import { type CommandDefinition, type CommandGroup, type Example, isCommandGroup } from "../definition.js";
import { LineOption } from "./line-command.js";
import { pathOf } from "./wrong-usage.js";

const PIPE_WIDTH = 80;
/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
/** Longer names of options have a line of their own. */
const MAX_TERM = 30;

/** Where help is shown: a terminal, a pipe or a file. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How commander writes help for these words: in the width of the terminal, with all options where they are asked for. */
export function helpOptions(argv: readonly string[], screen: Screen): HelpConfiguration {
  const { bold, cyan } = colorsFor(screen);
  const isLong = wantsAll(argv);
  return {
    helpWidth: Math.min((screen.isTTY && screen.columns) || PIPE_WIDTH, MAX_WIDTH),
    visibleOptions: (command) => visibleOptions(command, isLong),
    optionTerm,
    optionDescription: (option) => optionDescription(option, isLong),
    argumentTerm: (argument) => argument.name().toUpperCase(),
    subcommandTerm: (command) => command.name(),
    padWidth: (command, helper) => Math.min(MAX_TERM, longestTerm(command, helper)),
    formatItem,
    styleTitle: bold,
    styleOptionText: cyan,
    styleSubcommandText: cyan,
    styleArgumentText: cyan,
  };
}

/** Whether `--help all` is among the words. */
function wantsAll(argv: readonly string[]): boolean {
  return argv.some((word, at) => (word === "--help" || word === "-h") && argv[at + 1] === "all");
}

export function programHelp(program: Command): void {
  program.usage("[command] [options]").description("The models of your own Cursor subscription, for any AI client");
}

/** What stands below the options: examples, and where to read more. */
export function addHelp(command: Command, loaded: CommandDefinition | CommandGroup): void {
  const { examples = [] } = loaded;
  const path = pathOf(command).join(" ");
  const hasRare = !isCommandGroup(loaded) && Object.values(loaded.args).some(({ use }) => use === "rare");
  const more = hasRare ? [`All options: curlew ${path} --help all`] : [];
  const parts = [...exampleLines(examples), ...more];
  if (parts.length > 0) command.addHelpText("after", `\n${parts.join("\n")}`);
}

function exampleLines(examples: readonly Example[]): string[] {
  if (examples.length === 0) return [];
  const { bold, cyan } = colorsFor(process.stdout);
  return [bold("Examples:"), ...examples.map(([line, about]) => `  ${cyan(line)}  ${about}`), ""];
}

function visibleOptions(command: Command, isLong: boolean): Option[] {
  const shown = command.options.filter((option) => {
    const use = argOf(option)?.use ?? "common";
    return !option.hidden && (use === "common" || (isLong && use === "rare"));
  });
  const help = new LineOption("-h, --help", { type: "boolean", description: "Show help" });
  return [...shown, help];
}

function argOf(option: Option) {
  return option instanceof LineOption ? option.arg : undefined;
}

function optionTerm(option: Option): string {
  return argOf(option)?.type === "switch" ? `${option.long}, --no-${option.name()}` : option.flags;
}

function optionDescription(option: Option, isLong: boolean): string {
  const arg = argOf(option);
  if (arg === undefined) return option.description;
  const { variable, usual } = arg;
  const notes = [...(variable === undefined ? [] : [variable]), ...(usual === undefined ? [] : [`default ${usual}`])];
  const about = isLong ? (arg.description ?? "") : firstSentence(arg.description ?? "");
  return isLong && notes.length > 0 ? `${about} (${notes.join("; ")})` : about;
}

function firstSentence(text: string): string {
  return (text.split(/(?<=\.)\s/)[0] ?? "").replace(/\.$/, "");
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
