import { readCustomInput } from "../parts/custom-tool.js";

interface OpenCall {
  readonly index: number;
  readonly name: string;
  readonly isCustom: boolean;
  hasInput: boolean;
  /** The arguments of a custom tool so far. */
  held: string;
}

/** The calls that the client sees, each step as the value of a delta, or "" if there is nothing to send. */
export class CallDeltas {
  readonly #customTools: ReadonlySet<string>;
  readonly #calls = new Map<string, OpenCall>();

  constructor(customTools: ReadonlySet<string>) {
    this.#customTools = customTools;
  }

  get count(): number {
    return this.#calls.size;
  }

  begin(id: string, name: string): string {
    const index = this.#calls.size;
    const isCustom = this.#customTools.has(name);
    this.#calls.set(id, { index, name, isCustom, hasInput: false, held: "" });
    return isCustom ? "" : toolCalls({ index, id, type: "function", function: { name, arguments: "" } });
  }

  input(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined || delta === "") return "";
    call.hasInput = true;
    if (call.isCustom) call.held += delta;
    return call.isCustom ? "" : toolCalls({ index: call.index, function: { arguments: delta } });
  }

  /** The text of a custom tool is known when its JSON is complete, so the call is sent as a whole then. */
  end(id: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return "";
    const { index, name } = call;
    if (call.isCustom) {
      return toolCalls({ index, id, type: "custom", custom: { name, input: readCustomInput(call.held) } });
    }
    // Clients parse the arguments that they collected, and an empty string is not JSON.
    return call.hasInput ? "" : toolCalls({ index, function: { arguments: "{}" } });
  }
}

function toolCalls(call: object): string {
  return `{"tool_calls":[${JSON.stringify(call)}]}`;
}
