import assert from "node:assert/strict";

const FOUND = "a curlew";

/** The turns of every client, in order; a turn without `isNew` continues the conversation before it. */
export const turns = [
  {
    name: "text",
    isNew: true,
    prompt: () => "[[think Hm.]] [[say Hello from the other side.]]",
    judge({ text, calls, error }) {
      assert.equal(error, undefined);
      assert.deepEqual(calls, []);
      assert.equal(text, "Hello from the other side.");
    },
  },
  {
    name: "tool",
    isNew: true,
    prompt: (tool) => `[[call ${tool} {"where":"north"}]] [[say That is all.]]`,
    judge({ text, calls, error }, { tool }) {
      assert.equal(error, undefined);
      assert.deepEqual(calls, [{ name: "look", args: { where: "north" } }]);
      assert.equal(text, `Result of ${tool}: ${FOUND} in the north\nThat is all.`);
    },
  },
  {
    name: "two tools",
    isNew: true,
    prompt: (tool) => `[[call ${tool} {"where":"east"}]] [[call ${tool} {"where":"west"}]] [[say Both done.]]`,
    judge({ text, calls, rounds = 1, error }, { tool }) {
      assert.equal(error, undefined);
      assert.deepEqual(calls, [
        { name: "look", args: { where: "east" } },
        { name: "look", args: { where: "west" } },
      ]);
      assert.equal(rounds, 1);
      assert.equal(
        text,
        `Result of ${tool}: ${FOUND} in the east\nResult of ${tool}: ${FOUND} in the west\nBoth done.`,
      );
    },
  },
  {
    name: "next turn",
    prompt: () => "What was that?",
    judge({ text, error }) {
      assert.equal(error, undefined);
      assert.match(text, /You said: "What was that\?"/);
      assert.match(text, /Before that you said: .*"where":"east"/);
    },
  },
  {
    name: "later tool",
    prompt: (tool) => `[[call ${tool} {"where":"south"}]] [[say Over.]]`,
    judge({ text, calls, error }, { tool }) {
      assert.equal(error, undefined);
      assert.deepEqual(calls, [{ name: "look", args: { where: "south" } }]);
      assert.equal(text, `Result of ${tool}: ${FOUND} in the south\nOver.`);
    },
  },
  {
    name: "native tool",
    isNew: true,
    prompt: () => '[[native shell_stream {"command":"ls"}]] [[say Still here.]]',
    judge({ text, error }) {
      assert.equal(error, undefined);
      assert.match(text, /^native shell_stream: (?:rejected: .+|exit 1.*)\nStill here\.$/s);
    },
  },
  {
    name: "error",
    isNew: true,
    prompt: () => "[[fail resource_exhausted ERROR_RATE_LIMITED]]",
    judge({ text, error }) {
      assert.match(`${error ?? ""}${text}`, /resource.?exhausted|rate.?limit/i);
    },
  },
];

/**
 * Plays the turns on a started client, each through `attempt(name, play)`. Where the fault is the client's own, the turn must fail
 * exactly so, and the result of the step is the fault.
 */
export async function playTurns(peer, open, attempt) {
  let ask;
  for (const { name, isNew, prompt, judge } of turns) {
    if (isNew) ask = open(name);
    await attempt(name, async () => {
      const answer = await ask(prompt(peer.tool), FOUND);
      const fault = peer.faults?.[name];
      if (fault === undefined) return judge(answer, peer);
      fault.judge(answer);
      return fault.reason;
    });
  }
}
