import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbedded } from "../../src/app/start/start-embedded.js";
import { sampleMonth } from "../ledger/sample-month.js";
import { writeLedger } from "../ledger/write-ledger.js";
import { startSimulator } from "../simulator/strict-simulator.js";
import { type PlayedTraffic, playTraffic } from "./traffic.js";

const USUAL_PORT = 32_124;
const mcpServer = fileURLToPath(new URL("../programs/mcp-server.js", import.meta.url));

export interface SampleGateway {
  readonly url: string;
  readonly home: string;
  readonly played: PlayedTraffic;
  close(): Promise<void>;
}

/** A gateway that looks as if it had been used for a month, with requests that are being answered right now. */
export async function startSampleGateway(): Promise<SampleGateway> {
  const home = mkdtempSync(join(tmpdir(), "curlew-pictures-"));
  await writeLedger(home, sampleMonth({ nowMs: Date.now(), days: 30, conversations: 10 }));
  const server = { command: process.execPath, args: [mcpServer] };
  writeFileSync(join(home, "curlew.json"), JSON.stringify({ mcp: { servers: { notes: server } } }));
  const simulator = await startSimulator({ deltaMs: 25 });
  const start = (port: number) =>
    startEmbedded({
      home,
      port,
      apiKey: "crsr_pictures",
      settings: { backendUrl: simulator.url, logLevel: "silent" },
    });
  // The pictures show the address that users have, unless a gateway is running here.
  const gateway = await start(USUAL_PORT).catch(() => start(0));
  const played = await playTraffic(gateway.url, { pace: 6, hasDrift: false });
  const leaving = new AbortController();
  const open = [
    { client: "claude-cli/2.1.0", model: "opus", text: "[[say I am reading the tests now.]]" },
    { client: "codex_cli_rs/0.60.0", model: "gpt-5.5", text: "" },
  ].map(({ client, model, text }) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": client },
      body: JSON.stringify({
        model,
        stream: true,
        messages: [{ role: "user", content: `${text} [[wait 3600000]]` }],
      }),
      signal: leaving.signal,
    }).then((response) => response.body?.pipeTo(new WritableStream())),
  );
  return {
    url: gateway.url,
    home,
    played,
    async close() {
      leaving.abort();
      await Promise.allSettled(open);
      await gateway.close();
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
