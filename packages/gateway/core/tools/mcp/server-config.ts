import { fitsWildcard } from "../../../turn/fits-wildcard.js";
import type { McpServerEntry } from "./mcp-settings.js";

/** The variables that a program needs for its files, the network and the locale. No others are passed on. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

const PROXY_VARIABLE = /^(HTTPS?|ALL)_PROXY$/i;

/** Our variables that hold a proxy with its password. Servers do not get these by default. */
export function proxiesWithPassword(ours: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(ours).filter((name) => PROXY_VARIABLE.test(name) && ours[name]?.includes("@"));
}

/** The environment of a server: our harmless variables, and those in its own entry. */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  const secret = new Set(proxiesWithPassword(ours));
  for (const [name, value] of Object.entries(ours)) {
    if (value && PASSED_VARIABLES.test(name) && !secret.has(name)) env[name] = value;
  }
  return { ...env, ...own };
}

const SHORTEST_SECRET = 6;
const SECRET_NAME = /key|token|secret|passw|auth|credential/i;

export type McpServerConfig = Omit<McpServerEntry, "disabled"> & { readonly name: string };

/** Whether a tool is offered. `deny` wins over `allow`. */
export function isAllowed(tool: string, { allow, deny }: Pick<McpServerConfig, "allow" | "deny">): boolean {
  return (
    (allow === undefined || allow.some((each) => fitsWildcard(tool, each))) &&
    !deny.some((each) => fitsWildcard(tool, each))
  );
}

/** A server's words without the secrets in its configuration, because people and models read them. */
export function hideSecrets(text: string, { headers, env }: Pick<McpServerConfig, "headers" | "env">): string {
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name));
  const values = [...Object.values(headers), ...named.map(([, value]) => value)];
  // In `Bearer ...` the word is not secret, and what follows is.
  const secrets = values.flatMap((value) => value.split(" ")).filter((part) => part.length > SHORTEST_SECRET);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}
