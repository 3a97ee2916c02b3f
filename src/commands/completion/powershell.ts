import { type DescribedCommand, isTopLevel } from "./described-command.js";

export function powershellScript(commands: readonly DescribedCommand[]): string {
  const top = commands.filter(isTopLevel);
  return `# curlew completion for PowerShell. In $PROFILE: curlew completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName curlew -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${top.map(({ name, about }) => `    ${quoted(name)} = ${quoted(about)}`).join("\n")}
    'help' = 'Show help'
  }
  $options = @{
${commands.map((command) => `    ${quoted(command.name)} = ${optionsOf(command)}`).join("\n")}
    'help' = @(${top.map(({ name }) => quoted(name)).join(", ")})
  }
  $values = @{
${commands.flatMap(valuesOf).join("\n")}
  }
  $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  $position = if ($wordToComplete) { $words.Count - 1 } else { $words.Count }
  $command = if ($words.Count -gt 1 -and -not $words[1].StartsWith('-')) { $words[1] } else { 'serve' }
  if ($position -gt 2 -and $options.ContainsKey("$command $($words[2])")) { $command = "$command $($words[2])" }
  $previous = $words[$position - 1]
  $found = if ($position -eq 1 -and -not $wordToComplete.StartsWith('-')) { $commands.Keys }
    elseif ($values.ContainsKey("$command $previous")) { $values["$command $previous"] }
    else { $options[$command] }
  $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    $about = if ($commands.Contains($_)) { $commands[$_] } else { $_ }
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $about)
  }
}
`;
}

function optionsOf({ options, words }: DescribedCommand): string {
  return `@(${[...words, ...options.map(({ flag }) => flag), "--help"].map(quoted).join(", ")})`;
}

function valuesOf({ name, options }: DescribedCommand): string[] {
  return options
    .filter(({ takes }) => takes === "choice")
    .map(({ flag, values }) => `    ${quoted(`${name} ${flag}`)} = @(${values.map(quoted).join(", ")})`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
