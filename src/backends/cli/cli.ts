import type { Clock } from "../../clock.js";
import { GatewayError } from "../../turn/error.js";
import type { Model, OwnLogin } from "../backend.js";
import { stopping } from "../closed.js";
import { type CliIdentity, cliEnvironment } from "./environment.js";
import { cliMissing, toCliError } from "./errors.js";
import { type FoundCli, findCli } from "./find-cli.js";
import { readModels } from "./models.js";
import type { CliProcess } from "./process.js";
import { Processes } from "./processes.js";
import { type CommandOutput, runCommand } from "./run-command.js";
import { readStatus } from "./status.js";
import { type Workspace, Workspaces } from "./workspace.js";

const VERSION_MS = 8_000;
const MODELS_MS = 15_000;
const LOGIN_FRESH_MS = 60_000;
/** Who is told that there is no login makes one, and expects that to be seen. */
const NO_LOGIN_FRESH_MS = 5_000;

export interface CliDeps extends CliIdentity {
  /** The one that the settings name, if they do. */
  readonly cliPath: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly temporaryFolder: string;
  readonly authCheckTimeoutMs: number;
  readonly clock: Clock;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** The CLI of this machine: how it is found, started and asked, and all that runs of it. */
export class Cli {
  readonly workspaces: Workspaces;
  readonly #deps: CliDeps;
  readonly #processes: Processes;
  #found: Promise<FoundCli> | undefined;
  #login: { readonly told: Promise<OwnLogin>; readonly untilMs: number } | undefined;
  #version: string | undefined;
  #isClosed = false;
  readonly #onExit = () => {
    this.#processes.killAll();
    this.workspaces.removeAllNow();
  };

  constructor(deps: CliDeps) {
    this.#deps = deps;
    this.#processes = new Processes(deps.clock);
    this.workspaces = new Workspaces(deps.temporaryFolder);
    process.once("exit", this.#onExit);
    this.workspaces.sweep().catch((problem: unknown) => deps.log.warn({ err: problem }, "old workspaces not removed"));
  }

  /** How many processes there are. */
  get running(): number {
    return this.#processes.size;
  }

  /** Undefined until it was found. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Where and what it is. Looked for until it is found: people install it because they are told to. */
  find(): Promise<FoundCli> {
    this.#found ??= this.#search().catch((thrown: unknown) => {
      this.#found = undefined;
      throw thrown;
    });
    return this.#found;
  }

  /** Starts it, in a workspace, with just these arguments. */
  async start(args: readonly string[], { path, dataFolder }: Workspace): Promise<CliProcess> {
    const cli = await this.find();
    this.#refuseWhenClosed();
    const env = cliEnvironment(this.#deps.env, this.#deps, dataFolder);
    const started = this.#processes.start({ command: cli.command, args: [...cli.args, ...args], cwd: path, env });
    void started.ended.then(({ failure }) => {
      if (failure !== undefined) this.#found = undefined; // it was moved, or removed
    });
    return started;
  }

  /** Whether it is logged in, as it says itself. Asked again after a minute, never for a single turn. */
  login(): Promise<OwnLogin> {
    const { clock, apiKey, authToken } = this.#deps;
    if (apiKey || authToken) return Promise.resolve("unknown"); // a key is judged by Cursor alone, with the first turn
    if (this.#login === undefined || clock.now() >= this.#login.untilMs) {
      const asked = { told: this.#askLogin(), untilMs: clock.now() + LOGIN_FRESH_MS };
      this.#login = asked;
      asked.told.then(
        (login) => {
          if (login === "logged-out") asked.untilMs = clock.now() + NO_LOGIN_FRESH_MS;
        },
        () => this.forgetLogin(),
      );
    }
    return this.#login.told;
  }

  /** A turn has shown that what is known of the login is wrong. */
  forgetLogin(): void {
    this.#login = undefined;
  }

  async models(signal: AbortSignal): Promise<Model[]> {
    const { stdout, stderr, wasCut } = await this.#ask(["models"], MODELS_MS, signal);
    if (wasCut) throw new GatewayError("timeout", "The Cursor CLI took too long over its list of models. Try again.");
    const models = readModels(stdout);
    if (models.length === 0) throw toCliError(`${stdout}\n${stderr}`);
    return models;
  }

  /** Ends all that runs, and resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#processes.stopAll();
    await this.workspaces.removeAll();
    process.off("exit", this.#onExit);
  }

  async #askLogin(): Promise<OwnLogin> {
    const { authCheckTimeoutMs, clock } = this.#deps;
    const tooLate = new AbortController();
    const stopWaiting = clock.after(authCheckTimeoutMs, () => tooLate.abort());
    try {
      const asJson = await this.#ask(["status", "--format", "json"], authCheckTimeoutMs, tooLate.signal);
      if (!/unknown option/.test(asJson.stderr)) return readStatus(asJson.stdout);
      return readStatus((await this.#ask(["status"], authCheckTimeoutMs, tooLate.signal)).stdout);
    } finally {
      stopWaiting();
    }
  }

  async #search(): Promise<FoundCli> {
    const { log, cliPath, env, homeDirectory } = this.#deps;
    const askVersion = async (cli: Omit<FoundCli, "version">) => {
      const { stdout } = await this.#run(cli, ["--version"], VERSION_MS);
      return stdout.trim();
    };
    const found = await findCli({ cliPath, env, homeDirectory, askVersion });
    this.#version = found.version;
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

  async #run(cli: Omit<FoundCli, "version">, args: readonly string[], timeoutMs: number, signal?: AbortSignal) {
    this.#refuseWhenClosed();
    const workspace = await this.workspaces.open();
    try {
      const env = cliEnvironment(this.#deps.env, this.#deps, workspace.dataFolder);
      const spec = { command: cli.command, args: [...cli.args, ...args], cwd: workspace.path, env, timeoutMs };
      return await runCommand(spec, { processes: this.#processes, clock: this.#deps.clock }, signal);
    } finally {
      await workspace.remove();
    }
  }
  #refuseWhenClosed(): void {
    if (this.#isClosed) throw stopping();
  }
}
