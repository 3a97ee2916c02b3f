// How each client is started and pointed at a simulator. Nothing in them is changed: each has a way of its own to name the server.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openChat } from "./chat-conversation.js";
import { startPeer } from "./peer-process.js";

const API_KEY = "crsr_peer";

/**
 * `tool` is the name under which the model sees the client's tool `look`; with `failsInText` a failed turn is an answer that says
 * so. `open(name)` begins a conversation, which is a function
 * of a prompt and of what the tool finds.
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
      // Its provider "cursor" has a fixed address; one of another name takes ours, with the same code behind it.
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

/** The access token that these clients would get from a login in the browser. */
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
