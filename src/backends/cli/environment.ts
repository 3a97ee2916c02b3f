/** What the CLI needs to find its login, the network and its tongue. All else stays with us. */
const passed =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|CURSOR_CONFIG_DIR|CURSOR_API_ENDPOINT|AGENT_CLI_CREDENTIAL_STORE|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

export interface CliIdentity {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
}

/** The environment of a run. An empty key would count as a wrong one, so what is not there is left out. */
export function cliEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  { apiKey, authToken }: CliIdentity,
  dataFolder: string,
): Record<string, string> {
  const env: Record<string, string> = { NO_COLOR: "1", NO_OPEN_BROWSER: "1", CURSOR_DATA_DIR: dataFolder };
  for (const [name, value] of Object.entries(ours)) if (value && passed.test(name)) env[name] = value;
  if (apiKey) env.CURSOR_API_KEY = apiKey;
  else if (authToken) env.CURSOR_AUTH_TOKEN = authToken;
  return env;
}
