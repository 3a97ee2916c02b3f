// Published as is, so it imports no types: they would be published too.

/** Options for embedding. Anything left out comes from the environment or curlew.json, except address and port. */
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
  /** Cursor API key; by default `CURSOR_API_KEY`, or the credential stored by `curlew login`. */
  readonly apiKey?: string | undefined;
  /** Cursor access token, used as is; an API key takes precedence. By default `CURSOR_AUTH_TOKEN`. */
  readonly authToken?: string | undefined;
  /** How Curlew talks to Cursor: `auto`, `simulator`, or another backend from the guide. */
  readonly backend?: string | undefined;
  /** More model names: `{ "gpt-4": "gpt-5.5:high" }`. */
  readonly modelAliases?: Readonly<Record<string, string>> | undefined;
  /** How much is logged on stderr. */
  readonly logLevel?: "silent" | "fatal" | "error" | "warn" | "info" | "debug" | "trace" | undefined;
  /** Any other setting, by its name in `curlew.json`. Options override the environment, which overrides `curlew.json`. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}
