import type { Backend } from "../backends/backend.js";
import type { HealthRecord } from "../backends/choose/index.js";
import { isTitleRequest } from "../manners/title-request.js";
import { locate } from "../sessions/known.js";
import { joinText } from "../turn/blocks.js";
import { GatewayError } from "../turn/error.js";
import type { TurnEvents, Usage } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import type { Attempt } from "./first-to-answer.js";
import type { Reply, Road } from "./gateway.js";
import { nothingUsed, RequestRun, type RequestRunDeps } from "./open.js";
import { batches } from "./relay.js";
import { yieldIfLong } from "./yield-if-long.js";

/** A call that hangs must not keep a client from its title: a turn gives one, too. */
const NAMING_MS = 10_000;

interface RoadRunDeps
  extends Omit<RequestRunDeps, "backend" | "place" | "model" | "onTurnUsage" | "onEvents" | "onEnd"> {
  readonly road: Road;
  readonly record: HealthRecord | undefined;
  readonly owner: string;
  /** When the first event is there. */
  readonly onReply: (reply: Reply) => void;
}

/** A request on one road: which model is meant there, where the conversation stands there, and the reply. */
export class RoadRun implements Attempt {
  hasBegun = false;
  readonly #deps: RoadRunDeps;

  constructor(deps: RoadRunDeps) {
    this.#deps = deps;
  }

  async begin(): Promise<Reply> {
    const { road, turn, context, owner, permit, store, lot, books, record } = this.#deps;
    const { backend, catalogue } = road;
    const { shownAs, warnings, ...model } = await catalogue.resolve(turn, context.signal);
    if (context.signal.aborted) throw leftEarly();
    const title = await this.#cheapTitle();
    if (title !== undefined) {
      return {
        backend: backend.name,
        model: shownAs,
        continuity: "cold:new",
        warnings: turn.warnings,
        events: title,
      };
    }
    await yieldIfLong(turn.messages);
    const run = new RequestRun({
      ...this.#deps,
      backend,
      model,
      place: locate(turn, { owner, backend: backend.name }, store, lot),
      onTurnUsage: (usage: Usage) => books?.turn(shownAs, usage),
      onEvents: () => {
        this.hasBegun = true;
      },
      onEnd: (failure, isWhole) => {
        if (failure !== undefined) record?.failed(failure);
        return permit.ended(isWhole ? undefined : failure);
      },
    });
    const events = await run.begin();
    record?.succeeded();
    const told = [...turn.warnings, ...warnings, ...unhonoured(turn, backend), ...run.warnings];
    const reply = { backend: backend.name, model: shownAs, continuity: run.continuity, warnings: told, events };
    this.#deps.onReply(reply);
    return reply;
  }

  /** The name of a conversation, by the cheap call; undefined when a turn is wanted, or has to stand in for the call. */
  async #cheapTitle(): Promise<TurnEvents | undefined> {
    const { turn, settings, road, context, onProblem } = this.#deps;
    if (!settings.cheapTitles || !isTitleRequest(turn)) return undefined;
    if (turn.format !== undefined || turn.stop !== undefined) return undefined; // the call knows of no such wishes
    const words = turn.messages.map((message) => (message.role === "user" ? joinText(message.content) : ""));
    try {
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(NAMING_MS)]);
      const delta = await road.backend.nameConversation?.(words.join("\n\n"), signal);
      if (!delta) return undefined;
      // Cursor counts no tokens for this call, and none of the conversation's were used.
      return batches([
        { type: "text", delta },
        { type: "usage", usage: nothingUsed },
        { type: "finish", reason: "stop" },
      ]);
    } catch (problem) {
      if (context.signal.aborted) throw leftEarly();
      onProblem?.(problem);
      return undefined;
    }
  }
}

function leftEarly(): GatewayError {
  return new GatewayError("canceled", "The client left before the answer began.");
}

function unhonoured({ tools, workspace }: Turn, { can, name }: Backend): string[] {
  const warnings: string[] = [];
  if (tools.length > 0 && !can.tools) {
    warnings.push(`The ${tools.length} tools of this request are not offered to the model.`);
  }
  if (workspace !== undefined && !can.workspaces) {
    warnings.push(`The ${name} backend works in no folder of yours; x-curlew-workspace is left out.`);
  }
  return warnings;
}
