import { golden as messages } from "../../packages/gateway/fronts/anthropic-messages/golden.cases.js";
import { golden as chat } from "../../packages/gateway/fronts/openai-chat/golden.cases.js";
import { golden as responses } from "../../packages/gateway/fronts/openai-responses/golden.cases.js";
import { ProcessSystem } from "../../testing/programs/process-system.js";
import type { Random } from "../replay/random.js";
import { turnFaults } from "../replay/random-faults.js";
import type { TurnRecord } from "../replay/tool-user.js";
import { Pieces } from "./pieces.js";
import { type Kind, type PlannedMessage, planDay } from "./plan.js";
import { Worker } from "./worker.js";

export interface DayOptions {
  seed: number;
  messages: number;
  conversations: number;
  /** The folder of a built checkout; by default this one. */
  checkout?: string | undefined;
  /** What the simulator is like; by default live. */
  like?: "plain" | "live";
  /** Settings of the gateway. */
  env?: Readonly<Record<string, string>>;
  onMessage?: (index: number) => void;
  /** Called at the end of the day, before the gateway's folder is removed. */
  onEnd?: (home: string) => Promise<void>;
}

/** The cost of one user message. */
export interface MessageCost {
  conversation: number;
  kind: Kind;
  runs: number;
  /** Upstream bytes, and those of content that was sent again. */
  bytes: number;
  bytesAgain: number;
  inputTokens: number;
  cacheReadTokens: number;
  /** The continuity of each reply. */
  continuities: readonly string[];
  faults: readonly string[];
}

const dialects = [chat, responses, messages] as const;

/**
 * Plays a day of one user on a gateway in its own process. Messages are played one at a time, so that each cost belongs to a
 * message. The same seed gives the same day.
 */
export async function playDay(options: DayOptions): Promise<MessageCost[]> {
  const { seed, conversations, checkout, like = "live", env = {}, onMessage } = options;
  const pieces = new Pieces();
  const onClientMessage = (payload: Uint8Array) => pieces.count(payload);
  const system = await ProcessSystem.start({ like, onClientMessage }, undefined, { checkout, env });
  const { simulator } = system;
  const restart = async (random: Random) => {
    await (random.chance(0.5) ? system.gateway.kill() : system.gateway.stop());
    await system.startAgain();
  };
  const workers = Array.from(
    { length: conversations },
    (_, index) =>
      new Worker({
        dialect: dialects[index % dialects.length] ?? chat,
        pieces,
        url: () => system.gateway.url,
        restart,
      }),
  );
  const costs: MessageCost[] = [];
  try {
    for (const message of planDay(seed, options.messages, conversations)) {
      const worker = workers[message.conversation];
      if (worker === undefined) continue;
      const before = { ...simulator.stats(), bytesAgain: pieces.bytesAgain };
      const faults = await faultsOf(worker, message, pieces);
      const after = { ...simulator.stats(), bytesAgain: pieces.bytesAgain };
      costs.push({
        conversation: message.conversation,
        kind: message.kind,
        runs: after.runs - before.runs,
        bytes: after.bytesIn - before.bytesIn,
        bytesAgain: after.bytesAgain - before.bytesAgain,
        inputTokens: after.inputTokens - before.inputTokens,
        cacheReadTokens: after.cacheReadTokens - before.cacheReadTokens,
        continuities: worker.continuities,
        faults,
      });
      onMessage?.(costs.length);
    }
    await system.gateway.stop();
    await options.onEnd?.(system.home);
    return costs;
  } finally {
    await system.close();
  }
}

async function faultsOf(worker: Worker, message: PlannedMessage, pieces: Pieces): Promise<string[]> {
  try {
    const { turn, sent } = await worker.play(message);
    const lost = pieces.lost(sent).map((piece) => `${piece} never went upstream`);
    return [...lost, ...wordFaults(message, turn)];
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}

/** After typed-in words the text is not predictable, but calls must still be as planned and not repeated. */
function wordFaults({ kind, script }: PlannedMessage, turn: TurnRecord): string[] {
  return kind === "typed in"
    ? turnFaults({ ...turn, text: "", end: "dropped" }, script, false)
    : turnFaults(turn, script, false);
}
