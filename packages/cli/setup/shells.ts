import type { Machine } from "@curlew/gateway/system/machine.js";

export const shells = ["posix", "fish", "powershell", "cmd", "nushell"] as const;
export type Shell = (typeof shells)[number];

/** The user's likely shell: named by SHELL, or else the system's default. */
export function likelyShell({ env, platform }: Pick<Machine, "env" | "platform">): Shell {
  const program = (env.SHELL ?? "").replace(/^.*[\\/]/, "").replace(/\.exe$/i, "");
  if (program === "fish") return "fish";
  if (program === "nu") return "nushell";
  if (program === "pwsh" || program === "powershell") return "powershell";
  if (program !== "" || platform !== "win32") return "posix";
  return env.PROMPT === undefined ? "powershell" : "cmd"; // only the old command prompt has this variable
}

/** @param value a text, or the variable that holds it, because keys are never shown */
export function assignment(shell: Shell, name: string, value: string | { readonly variable: string }): string {
  const quote = typeof value === "string" ? value : undefined;
  const other = typeof value === "string" ? "" : value.variable;
  switch (shell) {
    case "posix":
      return `export ${name}=${quote === undefined ? `"$${other}"` : posixWord(quote)}`;
    case "fish":
      return `set -gx ${name} ${quote === undefined ? `"$${other}"` : fishWord(quote)}`;
    case "powershell":
      return `$env:${name} = ${quote === undefined ? `$env:${other}` : `'${quote.replaceAll("'", "''")}'`}`;
    case "cmd":
      // The quotation marks around both keep & and | from ending the command, and are not part of the value.
      return `set "${name}=${quote === undefined ? `%${other}%` : quote}"`;
    case "nushell":
      return `$env.${name} = ${quote === undefined ? `$env.${other}` : nushellWord(quote)}`;
  }
}

/** Characters without a special meaning in these shells. */
const PLAIN = /^[\w./:@%+,-]+$/;

export function posixWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function nushellWord(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
}
