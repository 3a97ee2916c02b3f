// Plays the compared turns with a client of our gateway. Returns what the gateway sent to the simulator.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCurlew } from "../../../testing/programs/start-curlew.js";
import { startSimulator } from "../../../testing/programs/start-simulator.js";
import { lookup, pixel, said, systemPrompt } from "../prompts.js";

const tools = [
  {
    type: "function",
    function: { name: "lookup", description: lookup.description, parameters: lookup.inputSchema },
  },
];

/** The turns, by the names of the SDK's recorded turns. */
const turns = {
  text: ({ chat }) => chat([user(said.text)]),
  image: ({ chat }) => {
    const url = `data:${pixel.mimeType};base64,${pixel.data}`;
    return chat([
      user([
        { type: "text", text: said.image },
        { type: "image_url", image_url: { url } },
      ]),
    ]);
  },
  second: (client) => speakTwice(client),
  async blobs(client) {
    await client.simulator.configure({ forgetBlobs: true });
    await speakTwice(client);
    await client.simulator.configure({ forgetBlobs: false });
  },
  async tool({ chat }) {
    const asked = await chat([user(said.tool)], { tools });
    const [call] = asked.message.tool_calls;
    const content = lookup.answer(JSON.parse(call.function.arguments));
    const result = { role: "tool", tool_call_id: call.id, content };
    const { continuity } = await chat([user(said.tool), asked.message, result], { tools });
    assert.equal(continuity, "warm", "the tool's result went to the run that asked for it");
  },
  system: ({ chat }) => chat([{ role: "system", content: systemPrompt }, user(said.system)]),
};

/** What our gateway sent in each turn: the requests at the simulator since its beginning. */
export async function playOurTurns(main) {
  const home = mkdtempSync(join(tmpdir(), "curlew-parity-"));
  const simulator = await startSimulator(main, "h2");
  let gateway;
  try {
    gateway = await startGateway(main, home, simulator.url);
    const recorded = {};
    for (const [name, play] of Object.entries(turns)) {
      await simulator.reset();
      await play({ simulator, chat: gateway.chat });
      recorded[name] = await simulator.requests();
    }
    return recorded;
  } finally {
    await gateway?.stop();
    await simulator.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function startGateway(main, home, backendUrl) {
  const { firstLine, stop } = await startCurlew(main, ["serve", "--port", "0", "--backend", "agent", "--json"], {
    PATH: process.env.PATH,
    HOME: home,
    CURLEW_HOME: home,
    CURSOR_BACKEND_URL: backendUrl,
    CURSOR_API_KEY: "crsr_parity",
  });
  const { url } = JSON.parse(firstLine);
  return { stop, chat: (messages, extras) => chat(url, messages, extras) };
}

async function chat(url, messages, extras = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages, ...extras }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`our gateway answered ${response.status}: ${body.error?.message}`);
  return { message: body.choices[0].message, continuity: response.headers.get("x-curlew-continuity") };
}

async function speakTwice({ chat }) {
  const { message } = await chat([user(said.first)]);
  const { continuity } = await chat([user(said.first), message, user(said.second)]);
  assert.equal(continuity, "warm", "the second turn continued from the first");
}

function user(content) {
  return { role: "user", content };
}
