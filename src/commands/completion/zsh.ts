import { type DescribedCommand, type DescribedOption, isTopLevel } from "./described-command.js";

export function zshScript(commands: readonly DescribedCommand[]): string {
  const names = [...commands.filter(isTopLevel), { name: "help", about: "Show help" }];
  const below = commands.filter((command) => !isTopLevel(command)).map(({ name }) => quoted(name));
  return `#compdef curlew
# curlew completion for zsh. In ~/.zshrc, after compinit: eval "$(curlew completion zsh)"
_curlew() {
  local -a commands
  commands=(
${names.map(({ name, about }) => `    ${quoted(`${name}:${about.replaceAll(":", "\\:")}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
    _describe -t commands 'command' commands
    return
  fi
  local command="$words[2]"
  if [[ "$command" == -* ]]; then
    command=serve
  else
    shift words
    (( CURRENT-- ))
  fi
  if (( CURRENT > 2 )); then
    case "$command $words[2]" in
      ${below.join("|")})
        command="$command $words[2]"
        shift words
        (( CURRENT-- ))
        ;;
    esac
  fi
  case "$command" in
${commands.map(caseOf).join("\n")}
    help) _describe -t commands 'command' commands ;;
  esac
}
compdef _curlew curlew
`;
}

function caseOf({ name, options, words }: DescribedCommand): string {
  const specs = [
    ...options.map(specOf),
    "--help[Show help]",
    ...(words.length > 0 ? [`1:argument:(${words.join(" ")})`] : []),
  ];
  return `    ${quoted(name)}) _arguments ${specs.map(quoted).join(" ")} ;;`;
}

function specOf({ flag, about, takes, values }: DescribedOption): string {
  const help = `[${about.replace(/[[\]\\:]/g, "\\$&")}]`;
  if (takes === "none") return `${flag}${help}`;
  const ends = { choice: `value:(${values.join(" ")})`, path: "path:_files", text: "value: " };
  return `${flag}=${help}:${ends[takes]}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
