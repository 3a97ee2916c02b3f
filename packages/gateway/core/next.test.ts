import { describe, expect, it } from "vitest";
import { userTurn } from "../../../testing/backends/scripted/index.js";
import { sampleRun } from "../../../testing/samples/sample-run.js";
import { assistant, results, settled, user } from "../../../testing/samples/sample-turns.js";
import type { BackendName, Exchange } from "../backends/backend.js";
import { type ErrorCode, GatewayError } from "../turn/error.js";
import type { Message } from "../turn/turn.js";
import { type Answer, type FailedBackend, type History, next } from "./next.js";
import type { ColdPlan, ResumePlan, RunPlan, TurnPlan } from "./plan.js";

const answered = [user("a"), assistant("", "one"), results("one")];
const since = answered.slice(1);
const asked = [...answered, assistant("b"), user("c")];
const historyOf = (messages: readonly Message[], rest: Partial<History> = {}): History => ({
  turn: userTurn("", { messages }),
  backends: [],
  first: undefined,
  chances: [],
  maxRetries: 3,
  ...rest,
});
const failure = (code: ErrorCode) => new GatewayError(code, code);

const conversation = {
  id: "c",
  lineage: "l",
  settings: "s",
  bareKey: "k",
  firstKey: "",
  knownReminders: new Set<string>(),
};
const start = { conversation, messages: since, priorCalls: [], superseded: sampleRun({} as Exchange) };
const cold: ColdPlan = { kind: "cold", continuity: "cold:new", ...start, messages: answered };
const resume: ResumePlan = {
  kind: "resume",
  continuity: "resumed",
  ...start,
  state: Buffer.of(2),
  hasOtherTools: false,
};
const inDoubt: ResumePlan = { ...resume, hasOtherTools: true };
/** From a state that waits for the results. */
const staged: ResumePlan = { ...resume, messages: [] };
const beforeCalls = { state: Buffer.of(3), messages: answered };
const handing: RunPlan = {
  kind: "results",
  continuity: "warm",
  conversation,
  run: start.superseded,
  steering: undefined,
  isQuestion: false,
};

describe("after a backend", () => {
  const failed = (code: ErrorCode, rest: Partial<FailedBackend> = {}): FailedBackend => ({
    kind: "failed-backend",
    name: "agent",
    model: "auto",
    error: failure(code),
    hasBegun: false,
    ...rest,
  });
  const names = (...backends: BackendName[]) => historyOf(asked, { backends });
  const first = failed("timeout");

  it("was admitted comes the first, with the retries that the breaker allows", () => {
    const step = next({ kind: "admitted" }, { ...names("agent", "cli"), maxRetries: 0 });
    expect(step).toMatchObject({ kind: "backend", name: "agent", history: { backends: ["cli"], maxRetries: 0 } });
    expect(next({ kind: "admitted" }, names())).toMatchObject({ kind: "give-up", error: { code: "server_error" } });
  });

  it.each<[string, FailedBackend, History, BackendName | ErrorCode]>([
    ["that is overloaded comes the next", failed("overloaded"), names("cli"), "cli"],
    ["that is overloaded, and the last, comes nothing", failed("overloaded"), names(), "overloaded"],
    ["that has begun comes nothing", failed("timeout", { hasBegun: true }), names("cli"), "timeout"],
    ["in its place, whatever its failure", failed("blocked"), { ...names("sdk"), first }, "sdk"],
    ["in its place and the last", failed("blocked"), { ...names(), first }, "timeout"],
    ["in its place, begun", failed("blocked", { hasBegun: true }), { ...names("sdk"), first }, "timeout"],
  ])("%s", (_, outcome, history, expected) => {
    const step = next(outcome, history);
    expect(step.kind === "backend" ? step.name : step.error.code).toBe(expected);
    if (step.kind === "backend") expect(step.history.first).toBe(history.first ?? outcome);
  });

  it.each<ErrorCode>([
    "bad_request",
    "context_length_exceeded",
    "model_not_found",
    "cursor_login_required",
    "invalid_api_key",
    "permission_denied",
    "plan_required",
    "insufficient_quota",
    "rate_limit_exceeded",
    "blocked",
    "canceled",
    "tool_loop",
  ])("comes nothing when the request or the account is at fault: %s", (code) => {
    expect(next(failed(code), names("cli"))).toMatchObject({ kind: "give-up", error: { code } });
  });
});

describe("after a run that has failed before its first event", () => {
  const afterFailure = (plan: TurnPlan, code: ErrorCode) =>
    next({ kind: "failed-run", plan, error: failure(code) }, historyOf(answered));

  it.each([
    ["blob_missing", handing, "cold:blob-missing"],
    ["session_expired", handing, "cold:expired"],
    ["blob_missing", resume, "cold:blob-missing"],
    ["session_expired", resume, "cold:expired"],
  ] as const)("whose state is lost (%s) the whole transcript goes into the same conversation", (code, plan, how) => {
    const step = afterFailure(plan, code);
    expect(step).toMatchObject({ plan: { kind: "cold", continuity: how, conversation, messages: answered } });
    const priorCalls = plan === handing ? [{ id: "one", result: { callId: "one" } }] : [];
    expect(step).toMatchObject({ kind: "run", words: undefined, plan: { priorCalls } });
  });

  it.each<[ErrorCode, TurnPlan]>([
    ["upstream_error", resume],
    ["blob_missing", cold],
    ["blob_missing", { kind: "repeat-calls", continuity: "cold:new", calls: [] }],
  ])("by %s without a lost state, the error is reported", (code, plan) => {
    expect(afterFailure(plan, code)).toMatchObject({ kind: "give-up", error: { code } });
  });
});

describe("after an answer", () => {
  const answer = (rest: Partial<Answer> = {}): Answer => ({
    kind: "answer",
    plan: cold,
    known: { newId: "new" },
    isEmpty: false,
    missesTool: false,
    nudge: undefined,
    misfit: undefined,
    checkpoint: settled,
    ...rest,
  });
  const nudge = "Call it now.";
  const misfit = { fault: "it has no JSON", instruction: "Answer in JSON." };
  const empty = { isEmpty: true };

  it.each<[string, Partial<Answer>, readonly Message[], History["chances"], string]>([
    ["as it should be", {}, asked, [], "keep"],
    ["that is empty after words of the user", empty, asked, [], "keep"],
    ["that is empty after results", empty, answered, [], "in-words"],
    ["that is empty again", empty, answered, ["in-words"], "keep"],
    ["that is empty from a run that got only results", { ...empty, plan: handing }, answered, [], "keep"],
    ["that is empty in a state that takes no words", { ...empty, plan: staged }, answered, [], "keep"],
    ["that is empty, with a state before", { ...empty, plan: { ...staged, beforeCalls } }, answered, [], "in-words"],
    ["that is empty and lacks a call", { ...empty, nudge }, answered, [], "in-words"],
    ["that lacks a call and may lack the tools", { nudge, plan: inDoubt }, asked, [], "new-tools"],
    ["that says that a tool is missing", { missesTool: true, plan: inDoubt }, asked, [], "new-tools"],
    ["that says so although the tools are the same", { missesTool: true, plan: resume }, asked, [], "keep"],
    ["that may lack the tools", { plan: inDoubt }, asked, [], "keep"],
    ["that lacks a call", { nudge }, asked, [], "nudge"],
    ["that lacks a call in a new conversation", { nudge }, asked, ["new-tools"], "nudge"],
    ["that lacks a call again", { nudge }, asked, ["nudge"], "tool_call_missing"],
    ["that lacks a call, without a checkpoint", { nudge, checkpoint: undefined }, asked, [], "tool_call_missing"],
    ["that lacks a call and does not fit", { nudge, misfit }, asked, [], "nudge"],
    ["that does not fit", { misfit }, asked, [], "repair"],
    ["that does not fit after a nudge", { misfit }, asked, ["nudge"], "repair"],
    ["that does not fit again", { misfit }, asked, ["repair"], "format_not_met"],
    ["that does not fit, without a checkpoint", { misfit, checkpoint: undefined }, asked, [], "format_not_met"],
  ])("%s", (_, rest, messages, chances, expected) => {
    const step = next(answer(rest), historyOf(messages, { chances }));
    if (step.kind === "give-up") expect(step.error.code).toBe(expected);
    else if (step.kind === "keep") expect(step.kind).toBe(expected);
    else expect([step.chance, step.history.chances]).toEqual([expected, [...chances, expected]]);
  });

  it("that is empty, the messages are sent again with words of ours, from the state before the calls if needed", () => {
    const words = "The results of your tool calls are above. Go on from there.";
    const priorCalls = [{ id: "one", result: { callId: "one" } }];
    const planFor = (plan: RunPlan) => next(answer({ ...empty, plan }), historyOf(answered));
    expect(planFor(resume)).toMatchObject({
      words,
      plan: { kind: "resume", conversation, messages: since, priorCalls },
    });
    expect(planFor({ ...staged, beforeCalls })).toMatchObject({ words, plan: { ...beforeCalls, priorCalls } });
  });

  it("without the new tools, a new conversation begins with the whole transcript", () => {
    const plan = { kind: "cold", continuity: "cold:settings-changed", conversation: { id: "new" }, messages: asked };
    expect(next(answer({ nudge, plan: inDoubt }), historyOf(asked))).toMatchObject({ words: undefined, plan });
  });

  it.each<[string, Partial<Answer>, string]>([
    ["lacks a call", { nudge }, nudge],
    ["does not fit", { misfit }, "Your last answer cannot be used: it has no JSON. Give it again.\n\nAnswer in JSON."],
  ])("that %s, the model is asked again from the end of its answer", (_, rest, words) => {
    const plan = { kind: "resume", state: settled.state, messages: [] };
    expect(next(answer(rest), historyOf(asked))).toMatchObject({ words, plan: { ...plan, conversation } });
    const checkpoint = { ...settled, conversationId: "moved" };
    expect(next(answer({ ...rest, checkpoint, plan: handing }), historyOf(answered))).toMatchObject({
      plan: { ...plan, conversation: { ...conversation, id: "moved" }, priorCalls: [{ id: "one" }] },
    });
  });
});
