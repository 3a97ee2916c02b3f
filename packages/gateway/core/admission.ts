import type { ResolvedModel } from "../models/index.js";
import { yieldToOthers } from "../system/clock.js";
import { unlessAborted } from "../turn/any-signal.js";
import { isLong } from "../turn/slices.js";
import type { Turn } from "../turn/turn.js";
import { freePermit } from "./breaker/failure-breaker.js";
import { clientLeft } from "./open-runs.js";
import { planTurn, saysMoreThanReminders } from "./plan.js";
import type { TurnPlace } from "./ports.js";
import { sideRequestOf } from "./quirks/side-request.js";
import { wordsToName } from "./quirks/title-request.js";
import { refuseBadLimits } from "./reply-limits/reply-limits.js";
import type { Request, RunContext } from "./request.js";
import type { Services } from "./services.js";
import { makeKeysInSlices, threadOf } from "./sessions/fingerprint.js";
import { KnownConversation, ownerOf, runWaitingFor } from "./sessions/known.js";
import type { ParkedRun } from "./sessions/parking.js";
import { callableTools } from "./tools/tool-choice.js";

/** A promise delays the turn before the next gate. A gate refuses by throwing a GatewayError. */
type Verdict = "pass" | Promise<unknown>;

/** A turn at the gates. Each gate fills in what it grants; after the last one the turn never changes. */
type Entrant = { -readonly [Key in keyof Request]: Request[Key] } & { model?: ResolvedModel | undefined };

/**
 * Every gate before a turn is planned, in the order in which they are asked; `admitModel` and `admitRun` follow on its way to Cursor.
 * From `limitsOfOwner` on, a turn for a waiting run passes without an await and claims it, so no other request can take it.
 */
export const gates: readonly ((entrant: Entrant, services: Services) => Verdict)[] = [
  wishesOfClient,
  lengthOfTranscript,
  openingOfLedger,
  modelForWaitingRun,
  limitsOfOwner,
  retryOfEqualTurn,
  failuresOfEqualTurns,
];

export function entrantOf(asked: Turn, context: RunContext, services: Services): Entrant {
  const { record, account } = context;
  const { account: name, backends } = account ?? services.ownAccount;
  record.account = account?.account ?? "";
  const toName = wordsToName(asked);
  record.side = toName === undefined ? (asked.side ?? sideRequestOf(asked)) : "title";
  return {
    turn: { ...asked, tools: services.toolLists.same(asked.tools) },
    context,
    stops: services.openExchanges.stops,
    owner: ownerOf(name, record.caller),
    backends,
    toName,
    callable: asked.tools,
    check: undefined,
    waiting: undefined,
    place: "new",
    warnings: [],
    permit: freePermit,
  };
}

/** Limits of the reply, its tools and its format. @throws GatewayError `invalid_request` for what cannot be honoured */
function wishesOfClient(entrant: Entrant, { formats }: Services): Verdict {
  const { tools, toolChoice, format } = entrant.turn;
  refuseBadLimits(entrant.turn);
  entrant.callable = callableTools(tools, toolChoice);
  if (format !== undefined) entrant.check = formats.checkOf(format);
  return "pass";
}

/** Lets other requests run while a long transcript is hashed. */
function lengthOfTranscript({ turn }: Entrant): Verdict {
  return isLong(turn.messages) ? makeKeysInSlices(turn.messages).then(yieldToOthers) : "pass";
}

/** The first turns wait until the ledger has been read. */
function openingOfLedger(_: Entrant, { guard }: Services): Verdict {
  return guard?.opening ?? "pass";
}

/** Only results that name another model than their run may have to wait for the model list. @throws GatewayError `model_not_found` */
function modelForWaitingRun(entrant: Entrant, services: Services): Verdict {
  const { turn, owner, backends, context } = entrant;
  const run = runWaitingFor(turn, owner, services.lot);
  if (run === undefined) return "pass";
  const { catalogue } = backends.open(run.backend);
  const isSame = run.askedModel === turn.model && run.askedEffort === turn.effort;
  entrant.model = isSame ? run.model : catalogue.current(turn);
  if (entrant.model !== undefined) return "pass";
  const { record, signal } = context;
  record.backend = run.backend;
  record.thread = run.pausedBy.thread;
  return catalogue.resolve(turn, signal).then((model) => {
    entrant.model = model;
  });
}

/** @throws GatewayError when one of the owner's limits is reached */
function limitsOfOwner(entrant: Entrant, services: Services): Verdict {
  const { turn, owner, context } = entrant;
  const run = runWaitingFor(turn, owner, services.lot);
  if (run !== undefined) entrant.waiting = planFor(run, entrant, services);
  entrant.place = placeOf(entrant);
  noteTurn(entrant, services);
  const { guard, clock } = services;
  if (guard === undefined) return "pass";
  const { warnings, waitMs } = guard.admit(context.record, entrant.place);
  entrant.warnings = warnings;
  return waitMs > 0 ? clock.sleep(waitMs, context.signal) : "pass";
}

/** If an identical request is being retried, waits for its outcome. */
function retryOfEqualTurn({ turn, owner, waiting, context }: Entrant, { breaker }: Services): Verdict {
  const retry = waiting === undefined ? breaker.retryOf(turn, owner) : undefined;
  return retry === undefined ? "pass" : unlessAborted(retry, context.signal, clientLeft);
}

/** @throws GatewayError, the failure that the breaker holds for an equal turn */
function failuresOfEqualTurns(entrant: Entrant, { breaker }: Services): Verdict {
  if (startsRun(entrant)) entrant.permit = breaker.admit(entrant.turn, entrant.owner);
  return "pass";
}

/** The gate on each backend, once its model is known. Returns warnings. @throws GatewayError when a limit for it is reached */
export function admitModel(model: ResolvedModel, { context, place }: Request, { guard }: Services): readonly string[] {
  if (context.signal.aborted) throw clientLeft();
  return guard?.admitModel(context.record, place, model) ?? [];
}

/** The last gate, before each run: takes one of the places for open runs. @throws GatewayError when none becomes free */
export function admitRun({ context }: Request, { openRuns }: Services): Verdict {
  if (!openRuns.hasRoom) return openRuns.beginLater(context.signal);
  openRuns.begin();
  return "pass";
}

/** Plans a turn for a waiting run before it is admitted, because limits treat words and results differently. */
function planFor(run: ParkedRun, { turn, owner, backends, model }: Entrant, services: Services): Request["waiting"] {
  const { name, can } = backends.open(run.backend).backend;
  const known = new KnownConversation(turn, { owner, backend: name, can }, services, run);
  return { run, model, known, plan: planTurn(turn, known) };
}

function placeOf({ turn, waiting }: Entrant): TurnPlace {
  if (waiting === undefined) return turn.messages.some(({ role }) => role === "assistant") ? "ongoing" : "new";
  const { plan } = waiting;
  const isToolRound = plan.kind === "repeat-calls" || (plan.kind === "results" && !plan.isQuestion);
  return isToolRound ? "results" : "words";
}

function startsRun({ waiting }: Entrant): boolean {
  return waiting?.plan.kind !== "results" && waiting?.plan.kind !== "repeat-calls";
}

/** Results of a run that is gone are no new words, although they need another run. */
function bringsWords(entrant: Entrant): boolean {
  if (!startsRun(entrant)) return entrant.place === "words";
  const { messages } = entrant.turn;
  const newest = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  return newest.some((message) => message.role === "user" && message.content.some(saysMoreThanReminders));
}

function noteTurn(entrant: Entrant, { newTurnId, lot }: Services): void {
  const { turn, owner, waiting, context } = entrant;
  const { record } = context;
  record.thread = waiting?.run.pausedBy.thread ?? threadOf(turn.messages, owner);
  record.bringsWords = bringsWords(entrant);
  if (waiting === undefined || startsRun(entrant)) {
    record.turnId = newTurnId();
    return;
  }
  const { pausedBy } = waiting.run;
  record.turnId = pausedBy.turnId;
  record.side ??= pausedBy.side;
  record.turnStartedMs = pausedBy.turnStartedMs;
  record.earlierRuns = pausedBy.earlierRuns + pausedBy.runs;
  record.leaseEndsMs = lot.leaseEndOf(waiting.run);
}
