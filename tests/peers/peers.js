// How each client is started, unmodified: with the addresses and the sign-in that it has built in, or, without a network of our
// own, with its own setting for the server.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openChat } from "./chat-conversation.js";
import { bunIn } from "./install.js";
import { AGENT_HOST } from "./namespace.js";

const API_KEY = "crsr_peer";
/** What every client prints for its user to open in a browser. */
const LOGIN_LINK = /https:\/\/cursor\.com\/loginDeepControl\S+/;

const noSecondCall = {
  reason: "ends the reply at its first call and later answers the second one with an error",
  judge({ text, calls }) {
    assert.deepEqual(calls, [{ name: "look", args: { where: "east" } }]);
    assert.match(text, /^Result of look: a curlew in the east\nResult of look: error: .*not provided\nBoth done\.$/);
  },
};
const inlineTurns = {
  reason: "sends its history inline, where blob ids belong",
  judge: ({ text }) => assert.match(text, /Blob not found/),
};

/**
 * `tool` is the model's name for the client's tool `look`. `hosts` are those of Cursor's that it reaches; with `hasNoSetting`, it is
 * played only where they lead to the simulator. `faults` are its own, by turn: the reason, and how exactly the turn fails.
 * `start` gets `run(command, environment)`, which starts a process, and either `agree(link)`, which signs in like a person in a
 * browser, or the `url` of a simulator. It returns `open(name)`, which begins a conversation: a function of a prompt and of what
 * the tool finds.
 */
export const peers = [
  {
    name: "opencode-cursor-oauth",
    tool: "look",
    hosts: ["api2.cursor.sh", "cursor.com"],
    faults: { "two tools": noSecondCall },
    async start({ folder, run, agree, url }) {
      const own = { CURSOR_API_URL: url, CURSOR_REFRESH_URL: `${url}/auth/exchange_user_api_key` };
      const host = [bunIn(folder), hostFile("opencode-cursor.js"), folder];
      const peer = agree === undefined ? run([...host, API_KEY], own) : run(host);
      await agree?.(await peer.until(LOGIN_LINK));
      const address = await peer.until(/^http\S+$/);
      return () => openChat(address, "auto");
    },
  },
  {
    name: "@bitkyc08/opencodex",
    tool: "ocx_client_look",
    hosts: ["api2.cursor.sh", "cursor.com"],
    async start({ folder, home, run, agree, url }) {
      const own = join(home, ".opencodex");
      mkdirSync(own);
      mkdirSync(join(home, ".codex"));
      const port = await freePort();
      const environment = { OPENCODEX_HOME: own, CODEX_HOME: join(home, ".codex") };
      const program = [process.execPath, join(folder, "node_modules/.bin/ocx")];
      if (agree === undefined) {
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
      } else {
        const login = run([...program, "login", "cursor"], environment);
        await agree(await login.until(LOGIN_LINK));
        await login.until(/Logged in to cursor/);
      }
      const peer = run([...program, "start", "--port", String(port)], environment);
      await peer.until(/proxy running on/);
      const model = agree === undefined ? "simulated/auto" : "cursor/auto";
      return () => openChat(`http://127.0.0.1:${port}/v1`, model);
    },
  },
  {
    name: "@oh-my-pi/pi-ai",
    tool: "look",
    hosts: ["api2.cursor.sh", "cursor.com"],
    async start({ folder, run, agree, url }) {
      const host = [bunIn(folder), hostFile("pi-ai.js"), folder];
      const peer = run(agree === undefined ? [...host, url, await exchange(url)] : host);
      await agree?.(await peer.until(LOGIN_LINK));
      await peer.until(/^ready$/);
      return (conversation) => async (prompt, found) => {
        peer.write(`${JSON.stringify({ conversation, prompt, found })}\n`);
        return JSON.parse(await peer.until(/^\{.*/));
      };
    },
  },
  {
    name: "cursor-openai-api",
    tool: "look",
    hosts: ["api2.cursor.sh", "cursor.com"],
    hasNoSetting: true,
    faults: {
      text: {
        reason: "writes thinking into the text",
        judge: ({ text }) => assert.equal(text, "<think>Hm.</think>Hello from the other side."),
      },
      "two tools": noSecondCall,
      "next turn": inlineTurns,
      "later tool": inlineTurns,
    },
    async start({ folder, run, agree }) {
      const program = [bunIn(folder), join(folder, "node_modules/cursor-openai-api/dist/cli.js")];
      const login = run([...program, "login"]);
      await agree(await login.until(LOGIN_LINK));
      await login.until(/Login successful/);
      const port = await freePort();
      const peer = run([...program, "serve"], { PORT: String(port) });
      await peer.until(/Server running/);
      return () => openChat(`http://127.0.0.1:${port}/v1`, "default");
    },
  },
  {
    // Our own program, which sends its runs where it is told to.
    name: "curlew",
    tool: "look",
    hosts: [AGENT_HOST, "api2.cursor.sh", "cursor.com"],
    hasNoSetting: true,
    async start({ main, home, run, agree }) {
      const environment = { CURLEW_HOME: join(home, "curlew"), CURLEW_CREDENTIAL_STORE: "file" };
      const program = ["sh", "-c", 'exec "$@" 2>&1', "sh", process.execPath, main];
      const login = run([...program, "login", "--no-browser"], environment);
      await agree(await login.until(LOGIN_LINK));
      await login.until(/Signed in/);
      const port = await freePort();
      const peer = run([...program, "serve", "--port", String(port)], environment);
      await peer.until(/\/v1/);
      return () => openChat(`http://127.0.0.1:${port}/v1`, "auto");
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
