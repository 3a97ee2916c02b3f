import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Clock } from "../../../system/clock.js";
import type { SentResult } from "../../../turn/blocks.js";
import { canonical } from "../../../turn/canonical.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ClientCall } from "../../backend.js";

/** The interval of progress notifications, for CLIs that ask for them. */
const PROGRESS_MS = 10_000;

export interface CallRequest {
  readonly requestId: string | number;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly onProgress?: (step: number) => void;
}

export interface CallingTurn {
  readonly callable: readonly ToolDefinition[];
  newCallId(): string;
  onCall(call: ClientCall): void;
}

interface ParkedCallsDeps {
  readonly clock: Clock;
  /** The CLI gives up on a call after about a minute. Before that, the call returns an instruction to wait by another call. */
  readonly stillRunningMs: number;
  readonly tools: readonly ToolDefinition[];
}

interface Parked {
  readonly call: ClientCall;
  readonly fingerprint: string;
  result: SentResult | undefined;
  waiter: Waiter | undefined;
}

interface Waiter {
  readonly requestId: string | number;
  respond(result: CallToolResult): void;
}

export class ParkedCalls {
  /** The tool by which the model waits, under a name that no client tool has. */
  readonly waitTool: string;
  areToolsListed = false;
  readonly #deps: ParkedCallsDeps;
  /** Calls whose result the CLI does not have yet, in the order in which they were made. */
  readonly #parked = new Set<Parked>();
  #turn: CallingTurn | undefined;

  constructor(deps: ParkedCallsDeps) {
    this.#deps = deps;
    let name = "curlew_wait";
    while (deps.tools.some((tool) => tool.name === name)) name += "_";
    this.waitTool = name;
  }

  get open(): readonly ClientCall[] {
    return [...this.#parked].filter(({ result }) => result === undefined).map(({ call }) => call);
  }

  begin(turn: CallingTurn): void {
    this.#turn = turn;
  }

  end(): void {
    this.#turn = undefined;
    for (const { waiter } of this.#parked) waiter?.respond(ownWords("The turn was ended; the tool was not run.", true));
    this.#parked.clear();
  }

  /** Resolves with the client's result, or with a text that says what to do without it. */
  async ask(request: CallRequest): Promise<CallToolResult> {
    const { name, input } = request;
    if (name === this.waitTool) {
      const parked = [...this.#parked].find(({ call }) => call.id === input.id);
      if (parked === undefined) return ownWords("No call with this id is running; you have its result already.", true);
      return this.#park(parked, request);
    }
    const turn = this.#turn;
    if (turn === undefined) return ownWords("No turn is running.", true);
    if (!turn.callable.some((tool) => tool.name === name)) return ownWords(notCallable(name, turn.callable), true);
    const fingerprint = JSON.stringify([name, canonical(input)]);
    const known = [...this.#parked].find((each) => each.fingerprint === fingerprint && each.waiter === undefined);
    // The CLI gave up on the call and made it again. The client is running it or has run it, and must not run it twice.
    if (known !== undefined) return this.#park(known, request);
    const id = turn.newCallId();
    const call = { id, upstreamId: String(request.requestId), name, input: JSON.stringify(input) };
    const parked = { call, fingerprint, result: undefined, waiter: undefined };
    this.#parked.add(parked);
    const answer = this.#park(parked, request);
    turn.onCall(call);
    return answer;
  }

  cancel(requestId: string | number): void {
    for (const { waiter } of this.#parked) {
      if (waiter?.requestId === requestId) waiter.respond(ownWords("Cancelled.", true));
    }
  }

  answer(result: SentResult): boolean {
    const parked = [...this.#parked].find(({ call }) => call.id === result.callId);
    if (parked === undefined || parked.result !== undefined) return false;
    parked.result = result;
    this.#deliver(parked);
    return true;
  }

  #park(parked: Parked, { requestId, onProgress }: CallRequest): Promise<CallToolResult> {
    const { clock, stillRunningMs } = this.#deps;
    const { id, name } = parked.call;
    const answer = new Promise<CallToolResult>((resolve) => {
      let step = 0;
      const stopProgress = onProgress && clock.every(PROGRESS_MS, () => onProgress(++step));
      const stopTimer = clock.after(stillRunningMs, () => {
        const wait = `Call ${this.waitTool} with {"id":"${id}"} to wait for its result`;
        waiter.respond(ownWords(`${name} is still running. ${wait}; do not call ${name} again.`, false));
      });
      const waiter: Waiter = {
        requestId,
        respond: (result) => {
          stopTimer();
          stopProgress?.();
          if (parked.waiter === waiter) parked.waiter = undefined;
          resolve(result);
        },
      };
      parked.waiter?.respond(ownWords("Another call waits for this result.", true));
      parked.waiter = waiter;
    });
    this.#deliver(parked);
    return answer;
  }

  #deliver(parked: Parked): void {
    if (parked.result === undefined || parked.waiter === undefined) return;
    this.#parked.delete(parked);
    parked.waiter.respond(resultContent(parked.result));
  }
}

function notCallable(name: string, callable: readonly ToolDefinition[]): string {
  const names = callable.map((tool) => tool.name).join(", ");
  return `${name} cannot be called now. ${names === "" ? "Answer without tools." : `Tools that can: ${names}.`}`;
}

function resultContent({ content, isError }: SentResult): CallToolResult {
  return {
    content: content.map((block) =>
      block.type === "text"
        ? { type: "text", text: block.text }
        : { type: "image", mimeType: block.mimeType, data: Buffer.from(block.data).toString("base64") },
    ),
    isError,
  };
}

function ownWords(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError };
}
