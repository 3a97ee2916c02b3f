import { GatewayError } from "../../../turn/error.js";
import type { ClientCall } from "../../backend.js";
import { TurnExchange } from "../../exchange/index.js";
import type { RunnerDeps } from "../cli.js";
import { cliMissing, toCliError } from "../errors.js";
import { modelArgument } from "../listings.js";
import type { CliProcess, ProcessExit } from "../process.js";
import { blocksOf, renderPrompt } from "../prompt.js";
import { checkWorkspace, type Workspace } from "../workspace.js";
import { StreamJsonDecoder } from "./decode.js";
import { JsonLines } from "./json-lines.js";

/** Text that may wait for a slow reader before we stop reading. */
const MAX_HELD_CHARACTERS = 16 * 1024;
/** How long the process may run after its result, because some builds hang there. */
const LINGER_MS = 2_000;
const TICK_MS = 500;
const PRINTING = ["-p", "--output-format", "stream-json", "--stream-partial-output"];

export interface PrintLimits {
  /** The time from the start to the first sign that the CLI accepted the login. */
  readonly startMs: number;
  /** The time without any event while the CLI runs none of its own tools. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** A turn is one process, which leaves no state: the CLI's chats only go forward (docs/decisions/0009-cursors-own-programs.md). */
export class PrintExchange extends TurnExchange<RunnerDeps<PrintLimits>> {
  /** No call waits for the client here, because the CLI runs its tools itself. */
  readonly openCalls: readonly ClientCall[] = [];
  readonly #lines = new JsonLines();
  readonly #decoder = new StreamJsonDecoder(this.context.newCallId);
  #process: CliProcess | undefined;
  #startedMs = 0;
  #lastEventMs = 0;

  answer(): void {}

  protected async run(): Promise<void> {
    const { cli, workspaceRoots } = this.deps;
    const { workspace: asked, messages } = this.turn;
    const images = messages.flatMap(blocksOf).filter(({ type }) => type === "image").length;
    if (images > 0) this.warn(`This build of the Cursor CLI takes no images; left out: ${images}.`);
    const named = asked === undefined ? undefined : await checkWorkspace(asked, workspaceRoots);
    if (this.isOver) return;
    const workspace = await cli.workspaces.open(named);
    try {
      const exit = await this.#runIn(workspace);
      // The process has ended. Without a result that is a failure, whatever the exit code.
      if (!this.isOver && exit !== undefined) {
        this.fail(exit.failure === undefined ? this.#lastWords() : cliMissing("it does not start"));
      }
    } finally {
      await workspace.remove();
    }
  }

  protected leave(): void {
    void this.#process?.stop();
  }

  protected override letGo(): void {
    this.#process?.stdout.resume(); // the rest of its output is not needed, but the process can end only when it is read
  }

  protected override onTaken(): void {
    const stdout = this.#process?.stdout;
    if (!stdout?.isPaused()) return;
    this.#lastEventMs = this.deps.clock.now();
    stdout.resume();
  }

  async #runIn(workspace: Workspace): Promise<ProcessExit | undefined> {
    const { cli, clock } = this.deps;
    await cli.find();
    if (this.isOver) return undefined;
    const model = modelArgument(this.context.model);
    // In ask mode, the built-in tools can read, but not change anything.
    const args = ["--mode", "ask", "--trust", "--workspace", workspace.path, "--model", model];
    const started = await cli.start([...PRINTING, ...args], workspace);
    this.#process = started;
    if (this.isOver) return started.stop();
    this.#startedMs = this.#lastEventMs = clock.now();
    started.stdout.on("data", (chunk: Buffer) => this.#read(() => this.#lines.push(chunk)));
    started.stdout.on("end", () => this.#read(() => this.#lines.end()));
    started.stdin.end(renderPrompt(this.turn));
    const stopTicking = clock.every(TICK_MS, () => this.#tick(clock.now()));
    const exit = await started.ended;
    stopTicking();
    return exit;
  }

  #read(next: () => object[]): void {
    if (this.isOver) return;
    try {
      for (const object of next()) {
        this.#lastEventMs = this.deps.clock.now();
        for (const event of this.#decoder.read(object)) this.replies.write(event);
      }
    } catch (thrown) {
      const text = "The Cursor CLI wrote output that Curlew cannot read.";
      this.breakOff(new GatewayError("upstream_error", text, { cause: thrown }));
      return;
    }
    const { result, modelCalls } = this.#decoder;
    if (result !== undefined) {
      this.deps.clock.after(LINGER_MS, () => void this.#process?.stop());
      if (result.isError) return; // the reason comes when the process ends
      this.replies.meter.modelCall(modelCalls);
      this.replies.meter.measured(result.usage);
      this.finish("stop"); // the answer is complete, whatever the process does next
    } else if (!this.replies.commit() && this.replies.heldCharacters > MAX_HELD_CHARACTERS) {
      this.#process?.stdout.pause();
    }
  }

  #lastWords(): GatewayError {
    const { hasSpoken } = this.replies;
    const words = [this.#decoder.result?.text, this.#lines.noise, this.#process?.stderr].join("\n");
    const error = toCliError(words, { isNearWindow: this.nearWindowTokens !== undefined, hasSpoken });
    if (error.kind === "authentication") this.deps.cli.forgetLogin();
    return error;
  }

  #tick(nowMs: number): void {
    const { startMs, idleMs, totalMs } = this.deps.limits;
    if (this.isOver || this.#process?.stdout.isPaused()) return; // the silence is caused by us
    const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
    if (!this.#decoder.hasBegun && nowMs - this.#startedMs >= startMs) {
      this.breakOff(timeout(`The Cursor CLI did not start within ${seconds(startMs)}. Try again.`, true));
    } else if (nowMs - this.#lastEventMs >= idleMs && !this.#decoder.isToolRunning) {
      this.breakOff(timeout(`The Cursor CLI has said nothing for ${seconds(idleMs)}. Try again or simplify the task.`));
    } else if (nowMs - this.#startedMs >= totalMs) {
      this.breakOff(timeout(`The Cursor CLI has not finished within ${seconds(totalMs)}. Simplify the task.`));
    }
  }
}

function timeout(text: string, isRetryable = false): GatewayError {
  return new GatewayError("timeout", text, { isRetryable });
}
