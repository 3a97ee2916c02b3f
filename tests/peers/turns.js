import assert from "node:assert/strict";

const FOUND = "a curlew on the moor";

/** The turns of every client, in order; a turn without `isNew` continues the conversation before it. */
const turns = [
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
    prompt: (tool) => `[[call ${tool} {"where":"north"}]] [[say That is all.]]`,
    judge({ text, calls, error }, { tool }) {
      assert.equal(error, undefined);
      assert.deepEqual(calls, [{ name: "look", args: { where: "north" } }]);
      assert.equal(text, `Result of ${tool}: ${FOUND}\nThat is all.`);
    },
  },
  {
    name: "second turn",
    prompt: () => "What was that?",
    judge({ text, error }) {
      assert.equal(error, undefined);
      assert.match(text, /You said: "What was that\?"/);
      assert.match(text, /Before that you said: .*Hello from the other side/);
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

/** Plays the turns on a started client, each through `attempt(name, play)`. */
export async function playTurns(peer, open, attempt) {
  let ask;
  for (const turn of turns) {
    if (turn.isNew) ask = open(turn.name);
    await attempt(turn.name, async () => turn.judge(await ask(turn.prompt(peer.tool), FOUND), peer));
  }
}
