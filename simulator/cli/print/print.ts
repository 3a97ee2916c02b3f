import { setTimeout as delay } from "node:timers/promises";
import type { TurnUsage } from "../../agent/directives.js";
import { sleep } from "../../agent/sleep.js";
import type { Entry } from "../../agent/transcript.js";
import { openChats } from "../chats.js";
import { requireLogin, requireModel, requireTrust } from "../checks.js";
import type { Parsed } from "../flags.js";
import { connectServers } from "../mcp/hub.js";
import { approvedServers, projectServers } from "../mcp/servers.js";
import { failureText, USAGE_LIMIT } from "../model/failure-text.js";
import { ModelFailure, playTurn, type Stage } from "../model/play.js";
import { readPrompt } from "../model/read-prompt.js";
import { readPermissions } from "../permissions.js";
import { openWorkspace } from "../workspace.js";
import { Refused, type World } from "../world.js";
import { answerAsk } from "./asks.js";
import { Lines } from "./lines.js";
import type { Narrator } from "./narrator.js";
import { createQuiet } from "./quiet.js";
import { StreamJson } from "./stream-json.js";

/** `cursor-agent -p`: one prompt, one answer. Gives back the exit code. */
export async function print(world: World, parsed: Parsed): Promise<number> {
  const { scenario, clock } = world;
  const piped = await world.readStdin();
  const prompt = parsed.positionals.length > 0 ? parsed.positionals.join(" ") : piped;
  world.recorder.call({ ...world, stdin: piped });

  if (scenario.refusal !== "") throw new Refused(scenario.refusal);
  const keySource = requireLogin(world, parsed);
  const model = requireModel(world, parsed);
  const workspace = openWorkspace(value(parsed, "--workspace"), world);
  requireTrust(workspace, parsed);
  if (prompt.trim() === "") throw new Refused("Error: No prompt provided for print mode");
  if (scenario.startMs > 0) await delay(scenario.startMs);

  const chats = openChats(world.env);
  const sessionId = resumedChat(parsed, chats.ids()) ?? world.newId();
  const entries: Entry[] = [...(chats.read(sessionId) ?? [])];
  const startedAt = clock.now();
  const facts = { sessionId, requestId: world.newId(), durationMs: () => clock.now() - startedAt, now: clock.now };
  const format = value(parsed, "--output-format") ?? "text";
  const narrator: Narrator =
    format === "stream-json"
      ? new StreamJson(
          {
            ...facts,
            keySource,
            cwd: workspace.path,
            model: model.name,
            isPartial: parsed.options.has("--stream-partial-output"),
            scenario,
          },
          new Lines(scenario, world),
        )
      : createQuiet(format === "json" ? "json" : "text", facts, world.out);

  const isReadOnly = parsed.options.has("--mode") || parsed.options.has("--plan");
  const isGated = scenario.mcpApprovals && !parsed.options.has("--approve-mcps");
  const servers = approvedServers(projectServers(workspace), workspace, isGated);
  const hub = await connectServers(servers, scenario.mcpTimeoutMs, () => {});
  const stage = createStage(world, narrator, (open, signal) => {
    const isForced = parsed.options.has("--force") || parsed.options.has("--yolo");
    return answerAsk(open, { hub, narrator, permissions: readPermissions(workspace), isForced, isReadOnly }, signal);
  });

  narrator.begin(prompt);
  if (scenario.end === "free-plan") return fail(world.out, "T: Named models are not part of this plan.");
  if (scenario.end === "usage-limit") return fail(world.err, USAGE_LIMIT);
  const { entries: asked, given, textTools } = readPrompt(prompt);
  entries.push(...asked);
  let usage: TurnUsage;
  try {
    usage = await playTurn(entries, { tools: [...hub.tools, ...textTools], given, isFallback: false }, stage);
  } catch (thrown) {
    if (thrown instanceof ModelFailure) return fail(world.err, failureText(thrown));
    throw thrown;
  } finally {
    await hub.close();
  }
  narrator.finishSpeaking();
  chats.write(sessionId, entries);
  switch (scenario.end) {
    case "cut":
      return fail(world.err, "T: [unavailable] The connection was lost");
    case "no-result":
      return 0;
    case "error-result":
      narrator.errorResult("The agent stopped with an error");
      return 1;
    case "result":
      narrator.result(scenario.usage && !scenario.oldBuild ? usage : undefined);
      return 0;
  }
}

function createStage(
  world: World,
  narrator: Narrator,
  answer: (open: Parameters<Stage["askAll"]>[0][number], signal: AbortSignal) => Promise<string>,
): Stage {
  const { signal } = new AbortController();
  const pause = (ms: number) => sleep(ms, world.clock, signal);
  return {
    async think(delta) {
      narrator.think(delta);
      await pause(world.scenario.deltaMs);
    },
    thinkingDone: () => narrator.thinkingDone(),
    async say(delta) {
      narrator.say(delta);
      await pause(world.scenario.deltaMs);
    },
    async askAll(asks, onAnswer) {
      narrator.turnToTools();
      await Promise.all(
        asks.map(async (open) => {
          if (open.ask.type === "call") await pause(open.ask.afterMs);
          onAnswer(open, await answer(open, signal));
        }),
      );
      narrator.nextStep();
    },
    sleep: pause,
    newCallId: () => callId(world.newId()),
    crash: world.crash,
  };
}

/** As models of the OpenAI family have it, line break included. */
function callId(id: string): string {
  const short = id.replaceAll("-", "").slice(0, 24);
  return `call_${short}\nfc_${short}`;
}

function resumedChat({ options }: Parsed, known: readonly string[]): string | undefined {
  const resumed = options.get("--resume");
  if (typeof resumed === "string") return resumed;
  return resumed === true || options.has("--continue") ? known[0] : undefined;
}

function fail(write: (text: string) => void, text: string): number {
  write(`${text}\n`);
  return 1;
}

function value({ options }: Parsed, name: string): string | undefined {
  const given = options.get(name);
  return typeof given === "string" ? given : undefined;
}
