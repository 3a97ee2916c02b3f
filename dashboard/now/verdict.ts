import type { Trouble } from "../../src/page/contract.js";
import type { Connection } from "../api/live.js";
import type { Tone } from "../parts/card.js";
import type { Check } from "./checks.js";

export interface Verdict {
  readonly tone: Tone;
  readonly sentence: string;
  readonly advice: string | null;
  readonly command: string | null;
  /** What else is not as it should be, in sentences. */
  readonly also: readonly string[];
}

interface Known {
  readonly connection: Connection;
  /** The most important first. */
  readonly checks: readonly Check[];
  /** What limits, the plan and the newest turns show. */
  readonly troubles: readonly Trouble[];
  /** Whether any turn has been answered since the gateway started. */
  readonly hasAnswered: boolean;
}

/** The sentence over everything else: what stops requests comes first, then what only takes something away. */
export function verdictOf({ connection, checks, hasAnswered, ...known }: Known): Verdict {
  if (connection === "offline") {
    const advice = "Below is the last that is known.";
    return { tone: "bad", sentence: "The gateway does not answer.", advice, command: "curlew serve", also: [] };
  }
  const troubles = [...checks.flatMap(({ trouble }) => trouble ?? []), ...known.troubles];
  const inOrder = [...troubles.filter(({ isFatal }) => isFatal), ...troubles.filter(({ isFatal }) => !isFatal)];
  const [worst, ...others] = inOrder;
  if (worst === undefined) {
    const sentence = hasAnswered ? "Everything works." : "Ready for requests.";
    return { tone: "good", sentence, advice: null, command: null, also: [] };
  }
  const { what, isFatal, advice, command } = worst;
  const sentence = isFatal ? asSentence(what) : `It works, but ${what}.`;
  return {
    tone: isFatal ? "bad" : "caution",
    sentence,
    advice,
    command,
    also: others.map((each) => asSentence(each.what)),
  };
}

function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
