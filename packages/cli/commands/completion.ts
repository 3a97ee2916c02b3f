import { CommandFailure } from "../terminal/print.js";
import { defineCommand, word } from "./line/definition.js";

/** Each calls `curlew __complete`. The last word has a dot before it, so that it is never empty. */
const scripts: Readonly<Record<string, string>> = {
  // Works in bash 3.2 too, which is what macOS has, and without the bash-completion package.
  bash: `# curlew completion for bash. In ~/.bashrc: eval "$(curlew completion bash)"
_curlew() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" found IFS=$'\\n'
  found="$(curlew __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD-1}" ".$cur" 2>/dev/null)"
  if [[ "$found" == ":files" ]]; then COMPREPLY=($(compgen -f -- "\${cur#=}")); else COMPREPLY=($found); fi
}
complete -o bashdefault -F _curlew curlew
`,
  zsh: `#compdef curlew
# curlew completion for zsh. In ~/.zshrc, after compinit: eval "$(curlew completion zsh)"
_curlew() {
  local -a found
  found=("\${(@f)$(curlew __complete zsh "\${(@)words[2,CURRENT-1]}" ".$words[CURRENT]" 2>/dev/null)}")
  if [[ "$found[1]" == ":files" ]]; then _files; elif [[ -n "$found[1]" ]]; then _describe 'curlew' found; fi
}
compdef _curlew curlew
`,
  fish: `# curlew completion for fish. Once: curlew completion fish > ~/.config/fish/completions/curlew.fish
function __curlew_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l found (curlew __complete fish $words[2..-1] ".$typed" 2>/dev/null)
  if test "$found[1]" = ":files"
    __fish_complete_path "$typed"
  else
    printf '%s\\n' $found
  end
end
complete -c curlew -f -a '(__curlew_complete)'
`,
  powershell: `# curlew completion for PowerShell. In $PROFILE: curlew completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName curlew -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete) { $words = @($words | Select-Object -SkipLast 1) }
  curlew __complete powershell @words ".$wordToComplete" | Where-Object { $_ -ne ':files' } | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`,
};
const shells = Object.keys(scripts);

export const completion = defineCommand({
  examples: [
    ["curlew completion bash", ""],
    ["curlew completion fish > ~/.config/fish/completions/curlew.fish", ""],
  ],
  args: {
    shell: word(shells.join(", "), { valueHint: shells.join("|") }),
  },
  run({ args, machine }) {
    const { shell = "" } = args;
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) {
      const unknown = shell === "" ? "" : `There is no completion for ${shell}. `;
      throw new CommandFailure(2, `${unknown}Name one shell: curlew completion ${shells.join("|")}`);
    }
    machine.stdout.write(script);
  },
});
