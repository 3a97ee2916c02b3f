import { sleep } from "../../clock.js";
import type { OpenAsk, Stage } from "../model/play.js";
import type { World } from "../world.js";
import type { Narrator } from "./narrator.js";

/** Writes the model's words and calls to the output; `answer` decides about its questions. */
export function createStage(
  world: World,
  narrator: Narrator,
  answer: (open: OpenAsk, signal: AbortSignal) => Promise<string>,
): Stage {
  // Only the end of its process cancels a print run.
  const { signal } = new AbortController();
  const pause = (ms: number) => sleep(ms, world.clock, signal);
  return {
    async think(delta) {
      narrator.think(delta);
      await pause(world.scenario.deltaMs);
    },
    thinkingDone: () => narrator.thinkingDone(),
    async say(delta) {
      narrator.say(delta);
      await pause(world.scenario.deltaMs);
    },
    async askAll(asks, onAnswer) {
      narrator.turnToTools();
      await Promise.all(
        asks.map(async (open) => {
          if (open.ask.type === "call") await pause(open.ask.afterMs);
          onAnswer(open, await answer(open, signal));
        }),
      );
      narrator.nextStep();
    },
    sleep: pause,
    newCallId: () => callId(world.newId()),
    crash: world.crash,
  };
}

/** An id in the form of OpenAI's models, with its line break. */
function callId(id: string): string {
  const short = id.replaceAll("-", "").slice(0, 24);
  return `call_${short}\nfc_${short}`;
}
