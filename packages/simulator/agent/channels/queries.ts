import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { InteractionResponse } from "@curlew/wire/gen/agent_v1_pb.js";
import { findQueryKind, queryRequest } from "../../model/query-kinds.js";
import type { Stats } from "../../server/stats.js";
import type { Voice } from "../transport/voice.js";
import type { Patience } from "./patience.js";
import { Questions } from "./questions.js";

interface QueriesDeps {
  voice: Voice;
  stats(): Stats;
  patience: Patience;
  signal: AbortSignal;
  fail(error: ConnectError): void;
}

/** The server's questions to the client's user. */
export class Queries {
  readonly #deps: QueriesDeps;
  readonly #questions: Questions<InteractionResponse>;
  readonly #expected = new Map<number, string>();
  #lastId = 0;

  constructor(deps: QueriesDeps) {
    this.#deps = deps;
    this.#questions = new Questions(deps.patience, deps.signal);
  }

  get openCount(): number {
    return this.#expected.size;
  }

  async ask(kindName: string, args: JsonObject, toolCallId: string): Promise<InteractionResponse> {
    const kind = findQueryKind(kindName);
    if (kind === undefined) throw new ConnectError(`Unknown query: ${kindName}.`, Code.Internal);
    this.#lastId += 1;
    const id = this.#lastId;
    const query = queryRequest(kind, args, toolCallId);
    query.id = id;
    this.#deps.stats().queriesAsked += 1;
    this.#expected.set(id, kind.responseCase);
    const answer = this.#questions.wait(id, `query ${id} (${kind.name})`, "last-heard");
    await this.#deps.voice.send({ case: "interactionQuery", value: query });
    return answer;
  }

  receive(response: InteractionResponse): void {
    const { id, result } = response;
    const expected = this.#expected.get(id);
    if (expected === undefined) return;
    if (result.case !== expected) {
      const given = result.case ?? "nothing that is known";
      this.#deps.fail(new ConnectError(`Query ${id} needs ${expected}, but got ${given}.`, Code.InvalidArgument));
      return;
    }
    this.#deps.stats().queriesAnswered += 1;
    this.#expected.delete(id);
    this.#questions.settle(id, response);
  }
}
