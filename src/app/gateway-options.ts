// Published as it stands here, so it names no type of another file: those would be published with it.

/** What an embedding program may say. What it does not comes from the environment or curlew.json, but for address and port. */
export interface GatewayOptions {
  /** Folder of Curlew's own files, instead of `CURLEW_HOME`. */
  readonly home?: string | undefined;
  /** Settings file instead of the one in Curlew's folder. */
  readonly configFile?: string | undefined;
  /** Address to listen on; loopback unless it is given. Any other needs a `key`. */
  readonly host?: string | undefined;
  /** Port to listen on; any free one unless it is given. */
  readonly port?: number | undefined;
  /** What clients of the gateway must show, 16 characters or more. */
  readonly key?: string | undefined;
  /** API key of a Cursor account. */
  readonly apiKey?: string | undefined;
  /** Access token of a Cursor account, used as it is; an API key wins over it. */
  readonly authToken?: string | undefined;
  /** How Cursor is reached: `auto`, `simulator`, or one of those that the guide lists. */
  readonly backend?: string | undefined;
  /** Further names for models: `{ "gpt-4": "gpt-5.5:high" }`. */
  readonly modelAliases?: Readonly<Record<string, string>> | undefined;
  /** How much is logged, on stderr. */
  readonly logLevel?: "silent" | "fatal" | "error" | "warn" | "info" | "debug" | "trace" | undefined;
  /** Any other setting, by its name in curlew.json. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}
