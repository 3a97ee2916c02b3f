import { setTimeout as delay } from "node:timers/promises";
import type { TurnUsage } from "../../model/directives.js";
import type { Entry } from "../../model/transcript.js";
import { sleep } from "../../server/clock.js";
import { openChats } from "../chats.js";
import { type KeySource, requireLogin, requireModel, requireTrust } from "../checks.js";
import { givenTo, type Parsed } from "../flags.js";
import { connectServers, type McpHub } from "../mcp/hub.js";
import { approvedServers, projectServers } from "../mcp/servers.js";
import { failureText, ModelFailure, type OpenAsk, playTurn, type Stage, USAGE_LIMIT } from "../model/play.js";
import { readPrompt } from "../model/read-prompt.js";
import type { ListedModel } from "../models.js";
import { readPermissions } from "../permissions.js";
import { openWorkspace, type Workspace } from "../workspace.js";
import { Refused, type World } from "../world.js";
import { answerAsk } from "./asks.js";
import { Lines } from "./lines.js";
import type { Narrator } from "./narrator.js";
import { createQuiet } from "./quiet.js";
import { StreamJson } from "./stream-json.js";

/** The outcome of the checks before every run. */
interface Admitted {
  readonly prompt: string;
  readonly keySource: KeySource;
  readonly model: ListedModel;
  readonly workspace: Workspace;
}

/** `cursor-agent -p`: one prompt, one answer. Returns the exit code. */
export async function print(world: World, parsed: Parsed): Promise<number> {
  const { scenario } = world;
  const admitted = await admit(world, parsed);
  if (scenario.startMs > 0) await delay(scenario.startMs);

  const chats = openChats(world.env);
  const sessionId = resumedChat(parsed, chats.ids()) ?? world.newId();
  const narrator = createNarrator(world, parsed, admitted, sessionId);
  const hub = await connectHub(world, parsed, admitted.workspace);
  narrator.begin(admitted.prompt);
  if (scenario.end === "free-plan") return fail(world.out, "T: Named models are not part of this plan.");
  if (scenario.end === "usage-limit") return fail(world.err, USAGE_LIMIT);

  const { entries: asked, given, textTools } = readPrompt(admitted.prompt);
  const entries: Entry[] = [...(chats.read(sessionId) ?? []), ...asked];
  const rules = {
    hub,
    narrator,
    permissions: readPermissions(admitted.workspace),
    isForced: parsed.options.has("--force") || parsed.options.has("--yolo"),
    isReadOnly: parsed.options.has("--mode") || parsed.options.has("--plan"),
  };
  const stage = createStage(world, narrator, (open, signal) => answerAsk(open, rules, signal));
  try {
    const tools = [...hub.tools, ...textTools];
    const usage = await playTurn(entries, { tools, given, isFallback: false }, stage);
    narrator.finishSpeaking();
    chats.write(sessionId, entries);
    return finish(world, narrator, usage);
  } catch (thrown) {
    if (thrown instanceof ModelFailure) return fail(world.err, failureText(thrown));
    throw thrown;
  } finally {
    await hub.close();
  }
}

/** Checks in the order of the real CLI, which reads its input to the end before anything else. */
async function admit(world: World, parsed: Parsed): Promise<Admitted> {
  const piped = await world.readStdin();
  world.recorder.call({ ...world, stdin: piped });
  if (world.scenario.refusal !== "") throw new Refused(world.scenario.refusal);
  const keySource = requireLogin(world, parsed);
  const model = requireModel(world, parsed);
  const workspace = openWorkspace(givenTo(parsed, "--workspace"), world);
  requireTrust(workspace, parsed);
  const prompt = parsed.positionals.length > 0 ? parsed.positionals.join(" ") : piped;
  if (prompt.trim() === "") throw new Refused("Error: No prompt provided for print mode");
  return { prompt, keySource, model, workspace };
}

function createNarrator(world: World, parsed: Parsed, admitted: Admitted, sessionId: string): Narrator {
  const { clock, scenario } = world;
  const startedAt = clock.now();
  const result = { sessionId, requestId: world.newId(), durationMs: () => clock.now() - startedAt };
  const format = givenTo(parsed, "--output-format") ?? "text";
  if (format !== "stream-json") return createQuiet(format === "json" ? "json" : "text", result, world.out);
  const { keySource, model, workspace } = admitted;
  const isPartial = parsed.options.has("--stream-partial-output");
  return new StreamJson(
    { ...result, keySource, cwd: workspace.path, model: model.name, isPartial, scenario, now: clock.now },
    new Lines(scenario, world),
  );
}

/** A server that fails is left out, and print mode does not mention it. */
function connectHub({ scenario }: World, parsed: Parsed, workspace: Workspace): Promise<McpHub> {
  const isGated = scenario.mcpApprovals && !parsed.options.has("--approve-mcps");
  const servers = approvedServers(projectServers(workspace), workspace, isGated);
  return connectServers(servers, scenario.mcpTimeoutMs, () => {});
}

function finish({ scenario, err }: World, narrator: Narrator, usage: TurnUsage): number {
  switch (scenario.end) {
    case "cut":
      return fail(err, "T: [unavailable] The connection was lost");
    case "error-result":
      narrator.errorResult("The agent stopped with an error");
      return 1;
    case "result":
      narrator.result(scenario.usage && !scenario.oldBuild ? usage : undefined);
      return 0;
    default:
      return 0;
  }
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

/** Writes the model's words and calls to the output; `answer` decides about its questions. */
function createStage(
  world: World,
  narrator: Narrator,
  answer: (open: OpenAsk, signal: AbortSignal) => Promise<string>,
): Stage {
  // Only the end of its process cancels a print run.
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

/** An id in the form of OpenAI's models, with its line break. */
function callId(id: string): string {
  const short = id.replaceAll("-", "").slice(0, 24);
  return `call_${short}\nfc_${short}`;
}
