import type { DescribedCommand, DescribedOption } from "./described-command.js";

export function fishScript(commands: readonly DescribedCommand[]): string {
  const names = commands.map(({ name }) => name);
  return [
    "# curlew completion for fish. Once: curlew completion fish > ~/.config/fish/completions/curlew.fish",
    "complete -c curlew -f",
    ...commands.map(({ name, about }) => `complete -c curlew -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`),
    `complete -c curlew -n __fish_use_subcommand -a help -d 'Show help'`,
    `complete -c curlew -n '__fish_seen_subcommand_from help' -a ${quoted(names.join(" "))}`,
    "complete -c curlew -l help -d 'Show help'",
    ...commands.flatMap((command) => linesOf(command)),
    "",
  ].join("\n");
}

function linesOf({ name, options, words }: DescribedCommand): string[] {
  const head = `complete -c curlew -n '__fish_seen_subcommand_from ${name}'`;
  return [
    ...options.map((option) => `${head} ${optionPart(option)} -d ${quoted(option.about)}`),
    ...(words.length > 0 ? [`${head} -a ${quoted(words.join(" "))}`] : []),
  ];
}

function optionPart({ flag, takes, values }: DescribedOption): string {
  const ends = { none: "", choice: ` -xa ${quoted(values.join(" "))}`, path: " -rF", text: " -x" };
  return `-l ${flag.slice(2)}${ends[takes]}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
