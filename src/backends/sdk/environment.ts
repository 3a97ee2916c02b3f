import { PRODUCTION_BACKEND } from "../cursor/production.js";

/** What the SDK needs to find the network, its own login and a place for what is temporary. All else stays with us. */
const passed =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

interface SdkIdentity {
  /** Without one, the SDK uses the login that it keeps itself. */
  readonly apiKey?: string | undefined;
  readonly backendUrl: string;
}

/** The environment of the child process: the only way by which it gets the key. */
export function sdkEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  { apiKey, backendUrl }: SdkIdentity,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) if (value && passed.test(name)) env[name] = value;
  // With its own address set, the SDK would not ask Cursor where runs are to go.
  if (backendUrl !== PRODUCTION_BACKEND) env.CURSOR_BACKEND_URL = backendUrl;
  if (apiKey) env.CURSOR_API_KEY = apiKey;
  return env;
}
