import { type DescribedCommand, type DescribedOption, isTopLevel } from "./described-command.js";

/** Works in bash 3.2 too, which is what macOS has, and without the bash-completion package. */
export function bashScript(commands: readonly DescribedCommand[]): string {
  const top = commands.filter(isTopLevel).map(({ name }) => name);
  const below = commands.filter((command) => !isTopLevel(command)).map(({ name }) => `"${name}"`);
  return `# curlew completion for bash. In ~/.bashrc: eval "$(curlew completion bash)"
_curlew() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  # bash takes --flag=value apart at the sign.
  if [[ "$cur" == "=" ]]; then cur=""; fi
  if [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ "$COMP_CWORD" -eq 1 && "$cur" != -* ]]; then
    COMPREPLY=($(compgen -W "${top.join(" ")} help --help --version" -- "$cur"))
    return
  fi
  if [[ "$command" == -* ]]; then command=serve; fi
  if [[ "$COMP_CWORD" -gt 2 ]]; then
    case "$command \${COMP_WORDS[2]}" in
      ${below.join("|")}) command="$command \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$command $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$command" in
${commands.map((command) => `    "${command.name}") words="${wordsOf(command)}" ;;`).join("\n")}
    help) words="${top.join(" ")}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -F _curlew curlew
`;
}

function valueCases({ name, options }: DescribedCommand): string[] {
  return options
    .filter(({ takes }) => takes !== "none")
    .map(({ flag, takes, values }) => `    "${name} ${flag}") ${replyOf(takes, values)}; return ;;`);
}

function replyOf(takes: DescribedOption["takes"], values: readonly string[]): string {
  if (takes === "choice") return `COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$cur"))`;
  return takes === "path" ? `local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur"))` : "COMPREPLY=()";
}

function wordsOf({ options, words }: DescribedCommand): string {
  return [...words, ...options.map(({ flag }) => flag), "--help"].join(" ");
}
