import { joinText } from "../turn/blocks.js";
import type { Batch, Step } from "../turn/event.js";
import type { RequestRecord } from "../turn/events/channels.js";
import type { Turn } from "../turn/turn.js";
import { FormatKeeper } from "./formats/format-keeper.js";
import { ThinkTags } from "./quirks/think-tags.js";
import { WrittenCalls } from "./quirks/written-calls.js";
import { ReplyLimits } from "./reply-limits/reply-limits.js";
import { ReplyJournal } from "./reply-state.js";
import type { Request } from "./request.js";
import type { Services } from "./services.js";
import { ChoiceKeeper, OneAtATime } from "./tools/tool-choice.js";

export class ReplySteps implements Step {
  readonly journal: ReplyJournal;
  readonly choice: ChoiceKeeper;
  limits: ReplyLimits | undefined;
  format: FormatKeeper | undefined;
  readonly #request: Pick<Request, "turn" | "check">;
  /** Steps that keep their state when the model is asked a second time. */
  readonly #lasting: readonly Step[];
  #steps: readonly Step[];
  readonly #texts: KeptTexts | undefined;

  constructor(
    { settings, newIds }: Pick<Services, "settings" | "newIds">,
    request: Pick<Request, "turn" | "check" | "callable" | "context">,
    /** True when continuing a parked run, which already received the tool choice. */
    isGoingOn = false,
  ) {
    const { thinkTags, writtenCalls, ledgerTexts } = settings;
    const { turn, callable, context } = request;
    this.#request = request;
    this.journal = new ReplyJournal(turn);
    if (ledgerTexts) this.#texts = new KeptTexts(context.record, turn);
    const isFree = isGoingOn || turn.messages.at(-1)?.role === "tool";
    this.choice = new ChoiceKeeper(isFree ? { type: "auto" } : turn.toolChoice);
    const lasting: Step[] = [];
    if (thinkTags) lasting.push(new ThinkTags());
    if (writtenCalls) lasting.push(new WrittenCalls(callable, turn.newCallId ?? newIds.call));
    if (!turn.parallelToolCalls) lasting.push(new OneAtATime());
    this.#lasting = lasting;
    this.limits = this.#newLimits();
    this.#steps = this.#expectAnswer();
  }

  push(batch: Batch): Batch {
    let passed = this.journal.fromUpstream(batch);
    for (const step of this.#steps) passed = step.push(passed);
    this.journal.toClient(passed);
    this.choice.push(passed);
    this.#texts?.push(passed);
    return passed;
  }

  end(): Batch {
    let held: Batch = [];
    for (const step of this.#steps) held = [...(held.length > 0 ? step.push(held) : []), ...(step.end?.() ?? [])];
    return held;
  }

  /** Prepares for a second answer after an unacceptable one. If the client got none of the first, the limits count anew. */
  beginAgain({ isUnsent }: { isUnsent: boolean }): void {
    if (isUnsent) this.limits = this.#newLimits();
    this.#steps = this.#expectAnswer();
  }

  #newLimits(): ReplyLimits | undefined {
    const { turn } = this.#request;
    if (turn.stop === undefined && turn.maxTokens === undefined) return undefined;
    return new ReplyLimits(turn, () => !this.choice.isHonoured);
  }

  #expectAnswer(): readonly Step[] {
    const { check } = this.#request;
    this.format = check && new FormatKeeper(check);
    if (this.limits === undefined && this.format === undefined) return this.#lasting;
    const steps = [...this.#lasting];
    if (this.limits !== undefined) steps.push(this.limits);
    if (this.format !== undefined) steps.push(this.format);
    return steps;
  }
}

/** Enough to recognise a turn. */
const MAX_CHARACTERS = 4_000;

class KeptTexts {
  readonly #texts: NonNullable<RequestRecord["texts"]>;

  constructor(record: RequestRecord, { messages }: Pick<Turn, "messages">) {
    const newest = messages.findLast(({ role }) => role === "user");
    const asked = newest?.role === "user" ? joinText(newest.content).slice(0, MAX_CHARACTERS) : "";
    this.#texts = { asked, answered: "" };
    record.texts = this.#texts;
  }

  push(batch: Batch): void {
    for (const event of batch) {
      const room = MAX_CHARACTERS - this.#texts.answered.length;
      if (event.type === "text" && room > 0) this.#texts.answered += event.delta.slice(0, room);
    }
  }
}
