/** What a program needs to find its files, the network and its tongue. All else stays with us. */
const passed =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

const proxies = /^(HTTPS?|ALL)_PROXY$/i;

/** The variables of ours that name a proxy together with a password for it. No server gets those by itself. */
export function proxiesWithPassword(ours: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(ours).filter((name) => proxies.test(name) && ours[name]?.includes("@"));
}

/** The environment of a server: what is harmless of ours, and what its own entry names. */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  const secret = new Set(proxiesWithPassword(ours));
  for (const [name, value] of Object.entries(ours)) {
    if (value && passed.test(name) && !secret.has(name)) env[name] = value;
  }
  return { ...env, ...own };
}
