import { describe, expect, it } from "vitest";
import { defaultOptions, parseOptions, type SimulatorOptions } from "../../packages/simulator/index.js";
import { parseCapture } from "../../packages/simulator/replay/capture-file.js";
import { captureText } from "../../packages/wire/messages/capture-format.js";
import { recordOn, recordOnReplay } from "../../testing/gateway/recorded-talk.js";
import { differencesBesidesTimes } from "../../testing/gateway/same-messages.js";

const talk = {
  system: "You keep a lighthouse.",
  prompts: [
    "Begin. [[think Let me see.]] [[say The lamp is lit.]]",
    'Look. [[call look_up {"word":"lamp"}]] [[call look_up {"word":"fog"}]] then [[say Both were found.]]',
    "Which lamp was that? [[say The one in the tower.]]",
    "Fail. [[fail permission_denied]]",
    "And again. [[say Good night.]]",
  ],
  result: "It burns oil.",
};

/** Every non-default value of every option with a fixed set of values. */
const modes = [{}, ...Object.keys(defaultOptions).flatMap(otherModes)].map((mode) => ({
  name: JSON.stringify(mode),
  mode,
}));

describe.each(modes)("a simulator with $name", ({ mode }) => {
  it("sends and receives the same messages when its capture is replayed", async () => {
    const first = await recordOn({ ...mode, heartbeatMs: 60_000 }, talk);
    const capture = parseCapture(captureText(first.capture), "capture");
    const { capture: again, deviations } = await recordOnReplay(capture, talk);
    expect(deviations).toEqual([]);
    expect(differencesBesidesTimes(capture, again)).toEqual([]);
  });
});

/** Reads the values from the error message of the simulator, so that new options are included automatically. */
function otherModes(name: string): Partial<SimulatorOptions>[] {
  const usual: Readonly<Record<string, unknown>> = { ...defaultOptions };
  return choicesIn(messageOf(() => parseOptions({ [name]: null })))
    .map((choice) => parseOptions({ [name]: choice }))
    .filter((mode) => Object.values(mode)[0] !== usual[name]);
}

function choicesIn(message: string): string[] {
  if (message.includes("takes true or false")) return ["true", "false"];
  const [, list = "", counted] = /takes one of (.*?)(?:, or (\w+)-N with N from 1)?, not null/.exec(message) ?? [];
  return [...list.split(", ").filter((choice) => choice !== ""), ...(counted === undefined ? [] : [`${counted}-1`])];
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown.message;
  }
  throw new Error("an option took null");
}
