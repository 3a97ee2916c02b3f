import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeGateway } from "../../packages/cli/app/compose.js";
import { chooseBackend } from "../../packages/cli/app/prepare/choose-backend.js";
import { createLab, type Lab, said, user } from "../../packages/cli/commands/doctor/live/lab.js";
import { loadSettings } from "../../packages/cli/config/load.js";
import { finishCapture, RawCapture } from "../../packages/gateway/backends/capture/index.js";
import type { Message, ToolDefinition } from "../../packages/gateway/turn/turn.js";
import { createReplay } from "../../packages/simulator/index.js";
import type { Capture } from "../../packages/wire/messages/capture-format.js";
import { type StrictStart, startSimulator } from "../simulator/strict-simulator.js";

export interface Talk {
  readonly system?: string;
  readonly prompts: readonly string[];
  /** What the tool `look_up` answers. */
  readonly result?: string;
  /** Prompts that the capture may show; none by default. */
  readonly shown?: readonly string[];
}

export interface RecordedTalk {
  readonly capture: Capture;
  /** The outcome of each prompt: the answer, or the code of the error. */
  readonly outcomes: readonly string[];
}

const tool: ToolDefinition = {
  name: "look_up",
  description: "Looks something up.",
  inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
};

/** Has one conversation through a gateway in this process, prompt by prompt, and records it. */
async function recordTalk(backendUrl: string, talk: Talk): Promise<RecordedTalk> {
  const home = mkdtempSync(join(tmpdir(), "curlew-capture-"));
  const recorder = new RawCapture(() => performance.now());
  const { settings } = loadSettings({
    given: { backendUrl, apiKey: "crsr_recorded_talk_0123456789", logLevel: "silent" },
    home,
  });
  const outcomes: string[] = [];
  const options = { recorder, logStream: process.stderr, constants: { retryPauseMs: 10 } };
  const composed = await composeGateway(settings, await chooseBackend(settings), options);
  const lab = createLab({ gateway: composed.gateway, gatewayId: "test" }, "auto");
  const messages: Message[] = [];
  for (const prompt of talk.prompts) outcomes.push(await askOnce(lab, messages, prompt, talk));
  await composed.close();
  rmSync(home, { recursive: true, force: true });
  const shown = { prompts: talk.shown ?? [] };
  return { capture: finishCapture(recorder, { by: "doctor", version: "0", nowMs: Date.now(), shown }), outcomes };
}

async function askOnce(lab: Lab, messages: Message[], prompt: string, { system, result = "" }: Talk): Promise<string> {
  messages.push(user(prompt));
  try {
    for (;;) {
      const heard = await lab.ask({ messages, tools: [tool], ...(system !== undefined && { system }) });
      messages.push(said(heard));
      if (heard.calls.length === 0) return heard.text;
      const results = heard.calls.map(({ id }) => ({
        callId: id,
        content: [{ type: "text" as const, text: result }],
        isError: false,
      }));
      messages.push({ role: "tool", results });
    }
  } catch (thrown) {
    messages.pop();
    return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
  }
}

/** The same on a simulator of its own. */
export async function recordOn(simulated: StrictStart, talk: Talk): Promise<RecordedTalk> {
  const simulator = await startSimulator(simulated);
  try {
    return await recordTalk(simulator.url, talk);
  } finally {
    await simulator.close();
  }
}

/** The same on a replay. `deviations` are those of the client from the capture. */
export async function recordOnReplay(
  capture: Capture,
  talk: Talk,
): Promise<RecordedTalk & { readonly deviations: readonly string[] }> {
  const deviations: string[] = [];
  const takeOver = createReplay(capture, (text) => deviations.push(text));
  return { ...(await recordOn({ takeOver }, talk)), deviations };
}
