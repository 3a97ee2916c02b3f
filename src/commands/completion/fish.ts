import { type DescribedCommand, type DescribedOption, isTopLevel } from "./described-command.js";

export function fishScript(commands: readonly DescribedCommand[]): string {
  const top = commands.filter(isTopLevel);
  const names = top.map(({ name }) => name);
  return [
    "# curlew completion for fish. Once: curlew completion fish > ~/.config/fish/completions/curlew.fish",
    "complete -c curlew -f",
    ...top.map(({ name, about }) => `complete -c curlew -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`),
    `complete -c curlew -n __fish_use_subcommand -a help -d 'Show help'`,
    `complete -c curlew -n '__fish_seen_subcommand_from help' -a ${quoted(names.join(" "))}`,
    "complete -c curlew -l help -d 'Show help'",
    ...commands.flatMap((command) => linesOf(command, commands)),
    "",
  ].join("\n");
}

function linesOf({ name, options, words }: DescribedCommand, commands: readonly DescribedCommand[]): string[] {
  // Once a command below this one is named, only that one counts.
  const below = commands.flatMap((each) =>
    each.name.startsWith(`${name} `) ? [each.name.slice(name.length + 1)] : [],
  );
  const seen = name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const unseen = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(" ")}`] : [];
  const head = `complete -c curlew -n '${[...seen, ...unseen].join("; and ")}'`;
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
