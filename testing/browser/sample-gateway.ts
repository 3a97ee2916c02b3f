import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbedded } from "../../packages/cli/app/start/start-embedded.js";
import { sampleMonth } from "../ledger/sample-month.js";
import { writeLedger } from "../ledger/write-ledger.js";
import { startSimulator } from "../simulator/strict-simulator.js";
import { editConversation, holdRequest, leaveWaiting, playToolTurn } from "./traffic.js";

const USUAL_PORT = 32_124;
const mcpServer = fileURLToPath(new URL("../programs/mcp-server.js", import.meta.url));

export interface SampleGateway {
  readonly url: string;
  readonly home: string;
  /** The last request of a turn with tools, and one that was expensive because its conversation was edited. */
  readonly ids: { readonly toolTurn: string; readonly edited: string };
  close(): Promise<void>;
}

/** A gateway that looks as if it had been used for a month, with requests in flight. */
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
  const to = { url: gateway.url, key: undefined };
  const newIds = (): [string, string, string] => [randomUUID(), randomUUID(), randomUUID()];
  const [edited, toolTurn] = [newIds(), newIds()];
  await editConversation(to, edited);
  await playToolTurn(to, toolTurn, 6);
  await leaveWaiting(to, randomUUID());
  const open = [
    { client: "claude-cli/2.1.0", model: "opus", content: "[[say I am reading the tests now.]]" },
    { client: "codex_cli_rs/0.60.0", model: "gpt-5.5", content: "" },
  ].map(({ client, ...asked }) => holdRequest(gateway.url, { headers: { "user-agent": client }, ...asked }));
  return {
    url: gateway.url,
    home,
    ids: { toolTurn: toolTurn[2], edited: edited[2] },
    async close() {
      await Promise.all(open.map((leave) => leave()));
      await gateway.close();
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
