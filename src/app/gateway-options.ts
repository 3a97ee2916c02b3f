// This file is published as it is, so it names no type of another file: that type would be published with it.

/** The options of an embedding program. What it leaves out comes from the environment or curlew.json, except address and port. */
export interface GatewayOptions {
  /** One folder for all of Curlew's files; by default `CURLEW_HOME`, or your system's usual folders. */
  readonly home?: string | undefined;
  /** Settings file; by default `curlew.json` in the folder for settings. */
  readonly configFile?: string | undefined;
  /** Address to listen on; by default loopback. Any other needs a `key`. */
  readonly host?: string | undefined;
  /** Port to listen on; by default a free one. */
  readonly port?: number | undefined;
  /** The gateway key, 16 characters or more; by default `CURLEW_KEY`, or none. */
  readonly key?: string | undefined;
  /** Cursor API key; by default `CURSOR_API_KEY`, or what `curlew login` keeps. */
  readonly apiKey?: string | undefined;
  /** Cursor access token, used as it is; an API key wins over it. By default `CURSOR_AUTH_TOKEN`. */
  readonly authToken?: string | undefined;
  /** How Curlew talks to Cursor: `auto`, `simulator`, or another backend of the guide. */
  readonly backend?: string | undefined;
  /** More model names: `{ "gpt-4": "gpt-5.5:high" }`. */
  readonly modelAliases?: Readonly<Record<string, string>> | undefined;
  /** How much is logged on stderr. */
  readonly logLevel?: "silent" | "fatal" | "error" | "warn" | "info" | "debug" | "trace" | undefined;
  /** Any other setting, by its name in `curlew.json`. Options win over the environment, that over `curlew.json`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}
