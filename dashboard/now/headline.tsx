import type { Tone } from "../parts/chip.js";
import { Icon } from "../parts/icons.js";
import { Command } from "./command.js";
import type { Verdict } from "./verdict.js";

/** The first thing that somebody reads: whether it works, and if not, what to do. */
export function Headline({ verdict, summary }: { readonly verdict: Verdict; readonly summary: string }) {
  const { tone, sentence, advice, command, also } = verdict;
  return (
    <header class="view-head now-head">
      <span class={`now-sign ${tone}`}>
        <Sign tone={tone} />
      </span>
      <div>
        <h1 tabIndex={-1}>
          <span class="unseen">Now: </span>
          <span aria-live="polite">{sentence}</span>
        </h1>
        {(advice !== null || command !== null) && (
          <p class="now-advice">
            {advice}
            {command !== null && <Command text={command} />}
          </p>
        )}
        {also.length > 0 && <p>Also: {also.join(" ")}</p>}
        {tone === "good" && <p>{summary}</p>}
      </div>
    </header>
  );
}

/** A shape for each state, so that the colour need not say it. */
function Sign({ tone }: { readonly tone: Tone }) {
  const shapes = { good: "M6 12.5l4 4 8-9", caution: "M12 6v7.5M12 17.5v.1", bad: "M7.5 7.5l9 9M16.5 7.5l-9 9" };
  const shape = tone === "good" || tone === "caution" || tone === "bad" ? shapes[tone] : "M7 12h10";
  return (
    <Icon weight={2.4}>
      <path d={shape} />
    </Icon>
  );
}
