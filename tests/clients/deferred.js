// Tools that a client declares only after the model has searched for them: the list grows during a tool round, and no message
// of the conversation may be sent again because of it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { linesIn, prepareClient } from "./prepare.js";
import { notes } from "./turns.js";

const server = fileURLToPath(new URL("../../testing/programs/mcp-server.js", import.meta.url));
const appended = "appended.txt";

export async function playDeferred(client, { path, main, isKept }) {
  const { folder, cwd, home, system, run, close } = await prepareClient(client, { path, main, isKept });
  const { simulator } = system;
  // A run with new tools replaces the parked run and gets a new id (docs/decisions/0004-checkpoints-whenever-they-come.md).
  // A server with separate blobs per conversation would ask for those of the checkpoint, which would count as messages.
  await simulator.configure({ sharedBlobs: true });
  const { search, name, args, model } = client.deferred;
  const file = join(home, "servers.json");
  const call = ([tool, input]) => `[[call ${tool} ${JSON.stringify(input)}]]`;
  const [echo, append] = ["echo", "append"].map(name);
  const prompts = [
    `first crane ${call(client.shell("cat note.txt"))} then [[say Read.]]`,
    [
      "second crane",
      call(search(echo)),
      call([echo, { text: "third crane" }]),
      call(search(append)),
      call([append, { file: join(cwd, appended) }]),
      "[[say Both were used.]]",
    ].join(" then "),
    "fourth crane [[say Bye.]]",
  ];
  try {
    writeFileSync(file, JSON.stringify({ mcpServers: { birds: { command: "node", args: [server] } } }));
    for (const [index, prompt] of prompts.entries()) {
      const task = (index === 0 ? client.first : client.next)(prompt);
      const { code, stdout, stderr } = await run({ ...task, args: [...args(file), `--model=${model}`, ...task.args] });
      assert.equal(code, 0, `exit code\nstdout: ${stdout}\nstderr: ${stderr}`);
    }
    const requests = await simulator.requests();
    if (isKept) writeFileSync(join(folder, "deferred.json"), JSON.stringify({ requests, log: system.log() }));
    const continuities = system.log().flatMap(({ continuity }) => continuity ?? []);
    const [grown, warm] = ["warm:settings-changed", "warm"];
    assert.deepEqual(
      continuities,
      ["cold:new", warm, warm, grown, warm, grown, warm, warm],
      "continuity of the replies",
    );
    assert.equal(linesIn(join(cwd, appended)), 1, "how often the last tool was run");
    // All texts of the user and of tools; the rest is from the model.
    const messages = ["first crane", "second crane", "echo: third crane", "fourth crane", notes["note.txt"]];
    const sent = requests.flatMap(({ messages: each }) => each).flatMap(stringsIn);
    const counts = messages.map((text) => sent.filter((each) => each.includes(text)).length);
    assert.deepEqual(counts, [1, 1, 1, 1, 1], `how often ${messages.join(", ")} went upstream`);
    assert.equal(sent.filter((each) => each.includes("Both were used.")).length, 1, "answers that went upstream");
    const { runs, conversations } = await simulator.stats();
    assert.deepEqual(
      { runs, conversations },
      { runs: 5, conversations: 3 },
      "one run per message and new tool, one more id per new tool",
    );
  } finally {
    await close();
  }
}

/** All strings in a message; Base64 is also decoded, as it may be text. */
function stringsIn(value) {
  if (typeof value === "string") {
    const isBytes = /^[\w+/]{16,}={0,2}$/.test(value);
    return isBytes ? [value, Buffer.from(value, "base64").toString("latin1")] : [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
