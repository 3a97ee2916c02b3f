import { tmpdir } from "node:os";
import type { Clock } from "../../system/clock.js";
import { GatewayError } from "../../turn/error.js";
import type { Model, OwnLogin } from "../backend.js";
import type { BackendParts, OwnLoginParts } from "../backend-parts.js";
import { stopping } from "../closed.js";
import { cliMissing, toCliError } from "./errors.js";
import { type CliProgram, type FoundCli, findCli } from "./find-cli.js";
import { readModels, readStatus } from "./listings.js";
import { CliProcess, type CommandOutput, outputOf } from "./process.js";
import { type Workspace, Workspaces } from "./workspace.js";

const VERSION_MS = 8_000;
const MODELS_MS = 15_000;
const LOGIN_FRESH_MS = 60_000;
/** How long a missing login is remembered. Short, because the user will log in and try again. */
const NO_LOGIN_FRESH_MS = 5_000;

/** The variables that the CLI needs for its login, the network and the locale. No others are passed on. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|CURSOR_CONFIG_DIR|CURSOR_API_ENDPOINT|AGENT_CLI_CREDENTIAL_STORE|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|USERPROFILE|HOMEDRIVE|HOMEPATH)$/i;

export interface CliLoginSettings {
  readonly cliPath: string | undefined;
  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  readonly authCheckTimeoutMs: number;
}

export interface CliDeps<Settings extends CliLoginSettings = CliLoginSettings>
  extends OwnLoginParts<Settings>,
    Pick<BackendParts<Settings>, "log"> {
  readonly temporaryFolder?: string;
}

export interface RunnerDeps<Limits> {
  readonly cli: Cli;
  readonly limits: Limits;
  readonly workspaceRoots: readonly string[];
  readonly clock: Clock;
}

export class Cli {
  readonly workspaces: Workspaces;
  version: string | undefined;
  readonly #deps: CliDeps;
  readonly #running = new Set<CliProcess>();
  #found: Promise<FoundCli> | undefined;
  #login: { readonly state: Promise<OwnLogin>; readonly untilMs: number } | undefined;
  #isClosed = false;
  readonly #onExit = () => {
    for (const each of this.#running) each.kill();
    this.workspaces.removeAllNow();
  };

  constructor(deps: CliDeps) {
    this.#deps = deps;
    this.workspaces = new Workspaces(deps.temporaryFolder ?? tmpdir());
    process.once("exit", this.#onExit);
    this.workspaces.sweep().catch((problem: unknown) => deps.log.warn({ err: problem }, "old workspaces not removed"));
  }

  get running(): number {
    return this.#running.size;
  }

  /** Whether the CLI gets a key or a token and so needs no login of its own. */
  get hasKey(): boolean {
    const { apiKey, authToken } = this.#deps.settings;
    return Boolean(apiKey || authToken);
  }

  /** Finds the CLI; failures are not remembered, because the user may install it. @throws GatewayError `server_error` */
  find(): Promise<FoundCli> {
    this.#found ??= this.#search().catch((thrown: unknown) => {
      this.#found = undefined;
      throw thrown;
    });
    return this.#found;
  }

  async start(args: readonly string[], workspace: Workspace): Promise<CliProcess> {
    const cli = await this.find();
    const started = this.#start(cli, args, workspace);
    void started.ended.then(({ failure }) => {
      if (failure !== undefined) this.#found = undefined; // the CLI was moved or removed
    });
    return started;
  }

  /** The login state that the CLI reports. Cached for a minute, so that not every turn has to ask. */
  login(): Promise<OwnLogin> {
    const { clock } = this.#deps;
    if (this.hasKey) return Promise.resolve("unknown"); // only Cursor can judge a key, with the first turn
    if (this.#login === undefined || clock.now() >= this.#login.untilMs) {
      const asked = { state: this.#askLogin(), untilMs: clock.now() + LOGIN_FRESH_MS };
      this.#login = asked;
      asked.state.then(
        (login) => {
          if (login === "logged-out") asked.untilMs = clock.now() + NO_LOGIN_FRESH_MS;
        },
        () => this.forgetLogin(),
      );
    }
    return this.#login.state;
  }

  forgetLogin(): void {
    this.#login = undefined;
  }

  /** @throws GatewayError `timeout` when the CLI takes too long, or its own error when it lists none */
  async models(signal: AbortSignal): Promise<Model[]> {
    const { stdout, stderr, wasCut } = await this.#ask(["models"], MODELS_MS, signal);
    if (wasCut) throw new GatewayError("timeout", "The Cursor CLI took too long to list its models. Try again.");
    const models = readModels(stdout);
    if (models.length === 0) throw toCliError(`${stdout}\n${stderr}`);
    return models;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((each) => each.stop()));
    await this.workspaces.removeAll();
    process.off("exit", this.#onExit);
  }

  async #askLogin(): Promise<OwnLogin> {
    const { authCheckTimeoutMs } = this.#deps.settings;
    const tooLate = AbortSignal.timeout(authCheckTimeoutMs);
    const asJson = await this.#ask(["status", "--format", "json"], authCheckTimeoutMs, tooLate);
    if (!/unknown option/.test(asJson.stderr)) return readStatus(asJson.stdout);
    return readStatus((await this.#ask(["status"], authCheckTimeoutMs, tooLate)).stdout);
  }

  async #search(): Promise<FoundCli> {
    const { log, settings, machine } = this.#deps;
    const askVersion = async (cli: CliProgram) => {
      const { stdout } = await this.#run(cli, ["--version"], VERSION_MS);
      return stdout.trim();
    };
    const found = await findCli(settings.cliPath, machine, askVersion);
    this.version = found.version;
    log.info({ path: found.path, version: found.version }, "Cursor CLI found");
    return found;
  }

  async #ask(args: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<CommandOutput> {
    const cli = await this.find();
    const output = await this.#run(cli, args, timeoutMs, signal);
    if (output.failure !== undefined) {
      this.#found = undefined;
      throw cliMissing(`${cli.path} does not start`);
    }
    return output;
  }

  async #run(cli: CliProgram, args: readonly string[], timeoutMs: number, signal?: AbortSignal) {
    const workspace = await this.workspaces.open();
    try {
      return await outputOf(this.#start(cli, args, workspace), timeoutMs, this.#deps.clock, signal);
    } finally {
      await workspace.remove();
    }
  }

  /** @throws Error when the system refuses the command line */
  #start({ command, args: first }: CliProgram, args: readonly string[], { path, dataFolder }: Workspace): CliProcess {
    if (this.#isClosed) throw stopping();
    const { machine, settings, clock } = this.#deps;
    const env = cliEnvironment(machine.env, settings, dataFolder);
    const started = new CliProcess({ command, args: [...first, ...args], cwd: path, env }, clock);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }
}

/** The environment of a run. An empty key would count as a wrong one, so unset values are left out. */
export function cliEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  { apiKey, authToken }: Partial<CliLoginSettings>,
  dataFolder: string,
): Record<string, string> {
  const env: Record<string, string> = { NO_COLOR: "1", NO_OPEN_BROWSER: "1", CURSOR_DATA_DIR: dataFolder };
  for (const [name, value] of Object.entries(ours)) if (value && PASSED_VARIABLES.test(name)) env[name] = value;
  if (apiKey) env.CURSOR_API_KEY = apiKey;
  else if (authToken) env.CURSOR_AUTH_TOKEN = authToken;
  return env;
}
