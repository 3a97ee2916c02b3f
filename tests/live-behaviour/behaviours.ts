import { expect } from "vitest";
import type { Behaviour, Stage } from "./behaviour.js";
import { refusedForms } from "./refused-forms.js";
import type { Talk } from "./talk.js";

const look = { name: "look", description: "Looks at birds." };
const listen = { name: "listen", description: "Listens to birds." };
const tools = [look];

/** One message with one answer. */
const say =
  (words: string) =>
  async ({ talk }: Stage) =>
    (await talk().say(words)).text;

/** One message with a tool round. */
const useTool =
  (words: string) =>
  async ({ talk }: Stage) => {
    const person = talk({ tools });
    expect((await person.say(words)).calls).toHaveLength(1);
    return (await person.giveResults("a tern")).text;
  };

/** Two messages. The second answer must know the first. */
const remember = async ({ talk }: Stage) => {
  const person = talk();
  await person.say("My bird is a heron.");
  const { text } = await person.say("Which bird is it?");
  expect(text).toContain('Before that you said: "My bird is a heron."');
  return text.replace(/.*(My bird is a heron\.).*/s, "$1");
};

/** A message with a tool round. Curlew restarts before the result, so the run has to be resumed. */
const resume = (words: string, model: string) => async (stage: Stage) => {
  const person = stage.talk({ tools, model });
  expect((await person.say(words)).calls).toHaveLength(1);
  const text = await afterRestart(stage, person);
  expect(stage.system.simulator.stats().resumes).toBe(1);
  return text;
};

async function afterRestart({ system }: Stage, person: Talk): Promise<string> {
  person.moveTo(await system.startAnother());
  const { text, continuity } = await person.giveResults("a tern");
  expect(continuity).toBe("resumed");
  return text;
}

const SILENT = /closed it without an answer.*another region.*CURSOR_AGENT_URL/;

export const behaviours: readonly Behaviour[] = [
  ...refusedForms,
  {
    does: "leaves the stream open after `turn_ended`, with heartbeats",
    sources: "senpi#1062",
    modes: { turnEnd: "open" },
    curlew:
      "The answer is complete at `turn_ended`. Curlew waits up to 1.5 s for the last checkpoint and 0.25 s more for the end of the stream, then resets only this stream",
    seen: { finished: "All of it." },
    runs: 1,
    play: say("[[say All of it.]]"),
  },
  {
    does: "sends GOAWAY (code 0) right after a finished turn, and closes the connection",
    sources: "pi-cursor#3",
    modes: { turnEnd: "goaway" },
    curlew: "A finished turn stays finished. The next one opens a connection and continues from the last checkpoint",
    seen: { finished: "Second." },
    runs: 2,
    async play({ talk, system }) {
      const person = talk();
      expect((await person.say("[[say First.]]")).text).toBe("First.");
      const { text, continuity } = await person.say("[[say Second.]]");
      expect(continuity).toBe("warm");
      expect(system.simulator.stats().sessions).toBe(2);
      return text;
    },
  },
  {
    does: "sends GOAWAY in the middle of a run, and completes the run",
    sources: "pi-cursor#14",
    directive: "[[goaway]]",
    curlew: "The run ends on its connection; new runs get another one",
    seen: { finished: "Next." },
    runs: 2,
    async play({ talk, system }) {
      const person = talk();
      expect((await person.say("[[say One,]] [[goaway]] [[say  two.]]")).text).toBe("One, two.");
      const { text } = await person.say("[[say Next.]]");
      expect(system.simulator.stats().sessions).toBe(2);
      return text;
    },
  },
  {
    does: "sends GOAWAY in the middle of a run, and closes the connection after a tool's result",
    sources: "pi-cursor#14",
    directive: "[[goaway cut once]]",
    curlew: "The turn resumes from the checkpoint of its calls, and nothing is said or done twice",
    seen: { finished: "Result of look: a tern\nDone." },
    runs: 2,
    play: useTool("[[call look {}]] then [[goaway cut once]] [[say Done.]]"),
  },
  {
    does: "closes the connection in the middle of an answer",
    sources: "pi-cursor#14",
    directive: "[[goaway cut]]",
    curlew: "Text that was sent cannot be taken back and is in no checkpoint: one error closes the answer",
    seen: { failed: { code: "upstream_error", message: /broke off before the answer was complete. Try again/ } },
    runs: 1,
    play: say("[[say Half of]] [[goaway cut]]"),
  },
  {
    does: "ends the stream without `turn_ended`, before the model has said anything",
    sources: "oh-my-pi#6772",
    directive: "[[end once]]",
    curlew: "The turn is retried",
    seen: { finished: "At last." },
    runs: 2,
    play: say("[[end once]] [[say At last.]]"),
  },
  {
    does: "ends the stream without `turn_ended`, after a tool's result",
    sources: "oh-my-pi#6772",
    directive: "[[end once]]",
    curlew: "The turn resumes from the checkpoint of its calls",
    seen: { finished: "Result of look: a tern\nDone." },
    runs: 2,
    play: useTool("[[call look {}]] then [[end once]] [[say Done.]]"),
  },
  {
    does: "ends the stream without `turn_ended`, in the middle of an answer",
    sources: "oh-my-pi#6772",
    directive: "[[end]]",
    curlew: "One error closes the answer",
    seen: { failed: { code: "upstream_error", message: /ended the stream before the turn was complete. Try again/ } },
    runs: 1,
    play: say("[[say Half of]] [[end]]"),
  },
  {
    does: "resets a stream, and accepts the next one",
    sources: "pi-cursor#14",
    directive: "[[drop once]]",
    curlew: "The turn is retried",
    seen: { finished: "At last." },
    runs: 2,
    play: say("[[drop once]] [[say At last.]]"),
  },
  ...(
    [
      ["says so", "pi-cursor#26", "named"],
      ["ends with a bare `internal: Error`", "pi-cursor#26", "internal"],
      ["ends with `failed_precondition`", "pi-cursor#21", "failed-precondition"],
      ["continues with a blank history", "schultzp2020#35", "blank"],
    ] as const
  ).map(([then, sources, missingBlob]) => ({
    does: `asks for a blob that is lost, and ${then}`,
    sources,
    modes: { lostBlobs: true, missingBlob },
    curlew:
      "The run from the checkpoint is abandoned once a blob is missing, and the turn starts from the transcript (`cold:blob-missing`)",
    seen: { finished: "My bird is a heron." },
    runs: 3,
    play: remember,
  })),
  {
    does: "sends `set_blob` with an id and no data",
    sources: "pi-cursor-reins PROTOCOL-AGENT 5.1",
    modes: { blobReferences: true },
    curlew: "It refers to known content: acknowledged without storing anything",
    seen: { finished: "My bird is a heron." },
    runs: 2,
    play: remember,
  },
  {
    does: "asks for approval (`McpArgs.smart_mode_approval_only`) before it makes a call",
    sureness: "schema",
    sources: "oh-my-pi#6791",
    modes: { approvals: true },
    curlew: "Answers `approved` for allowed tools. The client sees the call once, when it is made",
    seen: { finished: "Result of look: a tern\nDone." },
    runs: 1,
    play: useTool("[[call look {}]] then [[say Done.]]"),
  },
  {
    does: "spreads the calls of one batch over more than 150 ms",
    sources: "pi-cursor-reins 0.2.0",
    settings: { namedCallMs: 60_000 },
    directive: "[[gap 400]]",
    curlew: "The staged checkpoint names all calls of the batch, so the reply waits for the last of them",
    seen: { finished: "Result of look: a tern\nResult of listen: a tern\nDone." },
    runs: 1,
    async play({ talk }) {
      const person = talk({ tools: [look, listen] });
      const { calls } = await person.say("[[call look {}]] [[gap 400]] [[call listen {}]] then [[say Done.]]");
      expect(calls.map(({ name }) => name)).toEqual(["look", "listen"]);
      return (await person.giveResults("a tern")).text;
    },
  },
  {
    does: "says how many calls a batch has (`tool_requests_listed`) before it asks for them",
    sureness: "schema",
    sources: "@cursor/sdk 1.0.32",
    modes: { callCounts: true },
    settings: { namedCallMs: 60_000 },
    curlew: "The reply waits for that many calls and ends with the last of them, or after 1.5 s without progress",
    seen: { finished: "Result of look: a tern\nResult of listen: a tern\nDone." },
    runs: 1,
    async play({ talk }) {
      const person = talk({ tools: [look, listen] });
      const late = "[[delay-checkpoint 600000]]";
      const { calls } = await person.say(`${late} [[call look {}]] [[gap 400]] [[call listen {}]] then [[say Done.]]`);
      expect(calls.map(({ name }) => name)).toEqual(["look", "listen"]);
      return (await person.giveResults("a tern")).text;
    },
  },
  {
    does: "sends the checkpoint of a call some time after the call",
    sources: "opencodex#4281",
    directive: "[[delay-checkpoint 600]]",
    curlew: "It is kept whenever it comes: after a restart the turn continues from it",
    seen: { finished: "Result of look: a tern\nDone." },
    runs: 2,
    async play(stage) {
      const person = stage.talk({ tools });
      expect((await person.say("[[delay-checkpoint 600]] [[call look {}]] then [[say Done.]]")).calls).toHaveLength(1);
      await expect.poll(() => stage.system.simulator.stats().checkpointsStaged).toBe(1);
      return afterRestart(stage, person);
    },
  },
  {
    does: "answers nothing to `resume_action` after a tool's result (composer-2.5)",
    sources: "opencodex source",
    modes: { emptyResumes: true },
    curlew: "An empty answer is retried once, with a user message",
    seen: { finished: "Result of look: a tern\nDone." },
    runs: 3,
    async play(stage) {
      const text = await resume("[[call look {}]] then [[say Done.]]", "composer-2.5")(stage);
      expect(text).toContain("The results of your tool calls are above.");
      return text.slice(0, text.indexOf("This is a simulated answer."));
    },
  },
  {
    does: "uses its own tools after `resume_action` (composer-2.5)",
    sources: "opencodex source",
    modes: { nativeResumes: true },
    curlew: "They are refused with a reason that names the client's tools, or become calls of an equivalent tool",
    seen: { finished: "Done." },
    runs: 2,
    async play(stage) {
      const text = await resume("[[call look {}]] then [[say Done.]]", "composer-2.5")(stage);
      expect(text).toMatch(/^native shell: rejected: .*look/);
      return text.slice(text.lastIndexOf("\n") + 1);
    },
  },
  {
    does: "answers an account of another region with status 200 and an empty stream",
    sources: "cursor-opencode-provider#5, jcode#637",
    modes: { region: "silent" },
    curlew: "An error that says what to check. Waiting does not help, so there is no retry",
    seen: { failed: { status: 403, code: "unsupported_region", message: SILENT } },
    runs: 1,
    play: say("[[say never]]"),
  },
  {
    does: "refuses an account of another region with a message",
    sources: "cursor-opencode-provider#5, jcode#637",
    modes: { region: "refused" },
    curlew: "The same error, with Cursor's message",
    seen: {
      failed: {
        status: 403,
        code: "unsupported_region",
        message: /This region is not yet available for your team.*CURSOR_AGENT_URL/,
      },
    },
    runs: 1,
    play: say("[[say never]]"),
  },
  {
    does: "refuses every model of the pool Other Models with a bare `resource_exhausted` once that is used up, while its own models answer",
    sources: "senpi#1120, oh-my-pi#8845, #8894",
    modes: { usage: "other-used-up" },
    curlew:
      "Retries once, then asks for the usage of the period, at most once in five minutes, and says which pool is used up and what still works",
    seen: {
      failed: {
        status: 429,
        code: "insufficient_quota",
        message: /pool Other Models is used up\. Auto and Composer still/,
      },
    },
    runs: 2,
    play: ({ talk }) =>
      talk({ model: "grok-4.6" })
        .say("[[say never]]")
        .then(({ text }) => text),
  },
  {
    does: "refuses a conversation that is too long with a bare `resource_exhausted`",
    sources: "senpi#1009, #1015, #1120, opencodex#2320",
    modes: { tokenFloor: 120_000 },
    curlew:
      "From half of the model's window on, by our estimate with Cursor's own part or by Cursor's last count, it is a prompt that is too long, if no pool is used up: clients compact only then",
    seen: {
      failed: { status: 400, code: "context_length_exceeded", message: /prompt is too long: it has about 120,000/ },
    },
    runs: 2,
    async play({ talk }) {
      const person = talk({ model: "composer-2.5" });
      await person.say("[[say Here.]]");
      return (await person.say("[[fail resource_exhausted]]")).text;
    },
  },
  {
    does: "sends the time at which a message began beside each update of it (`InteractionUpdate` 25)",
    sources: "pi-cursor#14",
    modes: { messageTimes: true },
    curlew: "Reads the update as it does without the time",
    seen: { finished: "Done." },
    runs: 1,
    async play({ talk, system }) {
      const { text } = await talk().say("[[think Hm.]] [[say Done.]]");
      const health = await (await fetch(`${system.url}/health`)).json();
      expect(health).toMatchObject({ drift: { update: 0 } });
      return text;
    },
  },
  {
    does: "sends updates of unknown kinds",
    sources: "pi-cursor#14",
    directive: "[[update 99]]",
    curlew: "Ignored, and counted by number in `/health`",
    seen: { finished: "Done." },
    runs: 1,
    async play({ talk, system }) {
      const { text } = await talk().say("[[update 99]] [[update 99]] [[say Done.]]");
      const health = await (await fetch(`${system.url}/health`)).json();
      expect(health).toMatchObject({ drift: { update: 2, "update 99": 2 } });
      return text;
    },
  },
  {
    does: "resets a run with about 64 KiB of history in the request itself",
    sources: "a gateway of October 2026",
    modes: { maxInlineBytes: 65_536 },
    curlew: "History is sent as blob ids, and Cursor asks for the blobs",
    seen: { finished: "Done." },
    runs: 1,
    async play({ talk, system }) {
      const long = "The heron stands in the reeds. ".repeat(8_000);
      const { text, continuity } = await talk({ history: [[long, "It does."]] }).say("[[say Done.]]");
      expect(continuity).toBe("cold:new");
      expect(system.simulator.stats().blobsRequested).toBeGreaterThan(0);
      return text;
    },
  },
  {
    does: "puts its own prompt of 20,152 tokens (CLI) or 46,946 tokens (SDK) before every conversation",
    sources: "mulmoterminal#2071, pi-cursor-sdk#196",
    modes: { tokenFloor: 46_946 },
    curlew: "Counted as prompt tokens of the reply, as Cursor counts them",
    seen: { finished: "Done." },
    runs: 1,
    async play({ talk }) {
      const { text, promptTokens } = await talk().say("[[say Done.]]");
      expect(promptTokens).toBeGreaterThan(46_946);
      expect(promptTokens).toBeLessThan(48_000);
      return text;
    },
  },
];
