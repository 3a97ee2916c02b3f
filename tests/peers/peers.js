// How each client is started and pointed at a simulator, unmodified: each has its own setting for the server.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openChat } from "./chat-conversation.js";
import { startPeer } from "./peer-process.js";

const API_KEY = "crsr_peer";

/**
 * `tool` is the model's name for the client's tool `look`; with `failsInText`, a failed turn is an answer with the error.
 * `open(name)` begins a conversation: a function of a prompt and the result of the tool.
 */
export const peers = [
  {
    name: "opencode-cursor-oauth",
    tool: "look",
    failsInText: true,
    async start({ bun, folder, home, url }) {
      const environment = { CURSOR_API_URL: url, CURSOR_REFRESH_URL: `${url}/auth/exchange_user_api_key` };
      const ready = /^http\S+$/;
      const peer = await startPeer([bun, hostFile("opencode-cursor.js"), folder], { home, environment, ready });
      return { open: () => openChat(peer.found[0], "auto"), log: peer.log, stop: peer.stop };
    },
  },
  {
    name: "@bitkyc08/opencodex",
    tool: "ocx_client_look",
    async start({ folder, home, url }) {
      const own = join(home, ".opencodex");
      mkdirSync(own);
      mkdirSync(join(home, ".codex"));
      const port = await freePort();
      // Its provider "cursor" has a fixed address; a provider with another name accepts ours and runs the same code.
      const provider = {
        adapter: "cursor",
        baseUrl: url,
        authMode: "key",
        apiKey: await exchange(url),
        models: ["auto"],
        allowPrivateNetwork: true,
      };
      const config = { port, defaultProvider: "simulated", providers: { simulated: provider } };
      writeFileSync(join(own, "config.json"), JSON.stringify(config), { mode: 0o600 });
      const environment = { OPENCODEX_HOME: own, CODEX_HOME: join(home, ".codex") };
      const command = [process.execPath, join(folder, "node_modules/.bin/ocx"), "start", "--port", String(port)];
      const peer = await startPeer(command, { home, environment, ready: /proxy running on/ });
      return { open: () => openChat(`http://127.0.0.1:${port}/v1`, "simulated/auto"), log: peer.log, stop: peer.stop };
    },
  },
  {
    name: "@oh-my-pi/pi-ai",
    tool: "look",
    async start({ bun, folder, home, url }) {
      const command = [bun, hostFile("pi-ai.js"), folder, url, await exchange(url)];
      const peer = await startPeer(command, { home, ready: /^ready$/ });
      const open = (conversation) => async (prompt, found) => {
        peer.write(`${JSON.stringify({ conversation, prompt, found })}\n`);
        return JSON.parse(await peer.next());
      };
      return { open, log: peer.log, stop: peer.stop };
    },
  },
];

function hostFile(name) {
  return fileURLToPath(new URL(`hosts/${name}`, import.meta.url));
}

/** The access token that these clients would get from a browser login. */
async function exchange(url) {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const response = await fetch(`${url}/auth/exchange_user_api_key`, { method: "POST", headers, body: "{}" });
  const { accessToken } = await response.json();
  return accessToken;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
