import type { AgentRunRequest, RequestContext } from "@curlew/wire/gen/agent_v1_pb.js";
import { collectTools, toolsPiece, withheld } from "../../model/tools.js";
import { findFamily } from "../../server/catalogue.js";
import type { Clock } from "../../server/clock.js";
import type { World } from "../../server/world.js";
import type { BlobChannel } from "../channels/blob-channel.js";
import type { BlobMemory } from "../channels/blob-memory.js";
import type { Execs } from "../channels/execs.js";
import type { Injections } from "../channels/injections.js";
import type { Queries } from "../channels/queries.js";
import { briefingOf } from "../state/context.js";
import { Conversation } from "../state/conversation.js";
import { takeUserMessage } from "../state/user-message.js";
import type { Speech } from "../transport/speech.js";
import { unknownField, updateBytes, type Voice } from "../transport/voice.js";
import type { AbandonedIds } from "./abandoned-ids.js";
import type { BreakMemory } from "./break-memory.js";
import { Meter, type PrefixCache } from "./meter.js";
import { checkRequest, refuseCombinators } from "./request-check.js";
import type { ToolMemory } from "./tool-memory.js";
import { Turn } from "./turn.js";

/** The parts that all runs of one simulator share. */
export interface AgentDeps {
  world: World;
  clock: Clock;
  newId(): string;
  memory: BlobMemory;
  cache: PrefixCache;
  toolMemory: ToolMemory;
  breakMemory: BreakMemory;
  abandoned: AbandonedIds;
}

interface TimelineDeps extends AgentDeps {
  conversationId: string;
  headers: Record<string, string>;
  voice: Voice;
  execs: Execs;
  queries: Queries;
  injections: Injections;
  blobs: BlobChannel;
  speech: Speech;
  sleep(ms: number): Promise<void>;
  flood(count: number): Promise<void>;
  startBeating(): void;
}

/** Field numbers that no known schema has. */
const UNKNOWN_UPDATE = 190;
const UNKNOWN_MESSAGE = 95;
const UNKNOWN_EXEC = 199;

/** Plays everything between the run request and the end of the stream. */
export async function playTimeline(request: AgentRunRequest, deps: TimelineDeps): Promise<void> {
  const { world, headers, voice, execs, blobs, sleep, newId } = deps;
  const { options, stats } = world;
  const { model, state, action } = checkRequest(request, headers, world);
  if (options.refuseReusedIds) deps.abandoned.refuse(deps.conversationId);
  world.noteConversation(deps.conversationId);
  if (action.case === "resumeAction") stats.resumes += 1;

  await sleep(options.bootstrapMs);
  deps.startBeating();
  if (request.clientSupportsRoutedModelUpdate === true && model === "default") {
    await voice.update({ case: "routedModel", value: { displayName: "Simulated" } });
  }
  if (options.drift) await drift(voice, execs);

  const inline = action.value.requestContext;
  const asked = options.strict || !isWhole(inline) ? await askContext(execs) : undefined;
  const contexts = [asked, inline].filter((context) => context !== undefined);
  const lists = [request.mcpTools?.mcpTools ?? [], ...contexts.map((context) => context.tools)];
  const offered = deps.toolMemory.offered(deps.conversationId, collectTools(lists, headers), options.staleTools);
  if (options.refuseCombinators) refuseCombinators(model, offered);
  const isDynamic =
    options.dynamicTools === "reported" ? findFamily(model)?.hasDynamicTools === true : options.dynamicTools;
  const tools = isDynamic ? offered.map(withheld) : offered;
  const briefing = briefingOf(request, contexts);

  for (const { id, value } of request.preFetchedBlobs) blobs.hold(id, value);
  const conversation = await Conversation.load(state, blobs);
  conversation.brief(briefing);
  if (options.dynamicTools !== false) {
    conversation.dynamicTools = isDynamic ? offered.map(({ definition }) => definition.name) : [];
  }
  const requestId = headers["x-request-id"] ?? newId();
  if (action.case === "resumeAction") await conversation.resumeTurn(requestId, !options.strict);
  else await takeUserMessage(action.value, conversation, blobs, requestId);

  const turn = new Turn({
    ...deps,
    conversation,
    situation: { tools, given: briefing.given, isFallback: options.fallback },
    head: toolsPiece(tools, options.tokenFloor),
    maxTokens: world.contextTokens(model),
    meter: new Meter(deps.cache),
    stats: () => world.stats,
    asksApproval: options.approvals,
    listsCalls: options.callCounts,
    callGapMs: options.callGapMs,
    endsBare: options.turnEnd === "open-bare",
    losesBlobs: options.lostBlobs,
    recordUsage: (usage) => {
      world.agentUsage.record(deps.conversationId, requestId, usage);
      world.onTurnEnded?.(usage);
    },
    // Ids are opaque, and some of Cursor's models put a line break into theirs (docs/protocol/wire.md, execs).
    newCallId: () => (options.drift ? `call_${newId()}\nfc_${newId()}` : `call_${newId()}`),
  });
  if (action.case === "resumeAction" && options.emptyResumes) await turn.endAtOnce();
  else if (action.case === "resumeAction" && options.nativeResumes) await turn.playWithNativeTool();
  else await turn.play();
}

/** Cursor does not request the context if the one in the action describes the machine (docs/protocol/wire.md, run request). */
function isWhole(context: RequestContext | undefined): boolean {
  return (context?.env?.osVersion ?? "") !== "";
}

/** A client may refuse its context and still gets an answer. Without a reply, the run times out. */
async function askContext(execs: Execs): Promise<RequestContext | undefined> {
  const answer = await execs.ask({ case: "requestContextArgs", value: {} }, "now");
  const result = answer.type === "results" ? answer.results[0] : undefined;
  if (result?.case !== "requestContextResult" || result.value.result.case !== "success") return undefined;
  return result.value.result.value.requestContext;
}

/** Sends what a newer server may add: an update, a message and a request that needs an answer. */
async function drift(voice: Voice, execs: Execs): Promise<void> {
  await voice.sendBytes(updateBytes(UNKNOWN_UPDATE));
  await voice.sendBytes(unknownField(UNKNOWN_MESSAGE));
  await execs.askUnknown(UNKNOWN_EXEC);
}
