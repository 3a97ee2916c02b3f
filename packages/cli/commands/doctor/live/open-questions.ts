import type { Capture, FrameLine, Node } from "@curlew/wire/messages/capture-format.js";
import { constants } from "../../../config/constants.js";
import { type CapturedRun, childOf, hasContent, idsOf, runsIn, textOf } from "./captured-run.js";
import { has } from "./lab.js";
import { expected, prompts } from "./probe-texts.js";

interface Evidence {
  readonly runs: readonly CapturedRun[];
  /** Those that have their `turn_ended`. */
  readonly whole: readonly CapturedRun[];
  /** Runs with this prompt of the doctor's. */
  of(prompt: string, among?: readonly CapturedRun[]): readonly CapturedRun[];
}

/** What was seen, and whether that is as assumed; undefined if the capture does not show it. */
type Rule = (evidence: Evidence) => readonly [seen: string, isAsAssumed: boolean] | undefined;

export type Answer = ReturnType<typeof answersIn>[number];

/** Answers the questions of docs/protocol/open-questions.md from a capture of `doctor --live`. */
export function answersIn(capture: Capture) {
  const runs = runsIn(capture);
  const whole = runs.filter(hasEnded);
  const failed = new Set(runs.flatMap((run) => (run.hasEnded || run.how === "canceled" ? [] : run.outcome)));
  const missing = ["The capture does not show it", ...failed].join("; a run ended with ");
  const of: Evidence["of"] = (prompt, among = whole) => among.filter((run) => wordsOf(run.prompt) === wordsOf(prompt));
  return Object.entries(openQuestions).map(([question, rule]) => {
    if (rule === undefined) return { question, answer: "not answered", seen: "It needs another observation." } as const;
    const [seen, isAsAssumed] = rule({ runs, whole, of }) ?? [`${missing}.`];
    const answer = isAsAssumed === undefined ? "not answered" : isAsAssumed ? "as assumed" : "not as assumed";
    return { question, answer, seen } as const;
  });
}

/** Captures leave out single letters. */
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}_]{2,}/gu)?.join(" ");

/** Whether all of these are as assumed, with an example: the first that is not, if there is one. */
function all<Item>(
  items: readonly Item[],
  what: string,
  isUsual: (item: Item) => boolean,
  show?: (item: Item) => string | undefined,
) {
  const others = items.filter((item) => !isUsual(item));
  const [example] = [...others, ...items];
  if (example === undefined) return undefined;
  const shown = show === undefined ? "" : ` (${show(example)})`;
  return [`${items.length - others.length} of ${items.length} ${what}${shown}.`, others.length === 0] as const;
}

const hasEnded = (run: CapturedRun) => run.hasEnded;
const outcomeOf = ({ outcome }: CapturedRun) => outcome;
const modelOf = ({ model }: CapturedRun) => model;
const callId = (call: FrameLine) => idsOf(call, "tool_call_id")[0]?.id ?? "";
const names = (frame: FrameLine, call: FrameLine) => idsOf(frame).some(({ id }) => id === callId(call));
const says = (word: string) => (run: CapturedRun) => has(run.said, word);
const shows = (name: string, word: string) => (frame: FrameLine) => has(textOf(childOf(frame.body, name)), word);

/** Errors that blame the request; others concern the account, the model or the moment. */
const BLAMES_REQUEST = /^(?:invalid_argument|failed_precondition|unimplemented|internal)\b/;
/** What Curlew adds to its estimates for Cursor's own prompt. */
const FLOOR_TOKENS = 20_000;
/** Today's time in milliseconds, in the length that is read fast. */
const TIME_BYTES = 6;
/** Headers of Connect, and those that servers and proxies on the way add. */
const USUAL_HEADER =
  /^(?:connect-.*|content-(?:type|encoding)|vary|server|via|alt-svc|strict-transport-security|cf-.*|x-envoy-.*|x-request-id)$/;
/** The forms of a model's name that a request tries. */
const FORMS_TRIED = 2;

/** In the order of the page. No capture answers those without a rule. */
export const openQuestions: Readonly<Record<string, Rule | undefined>> = {
  "Does Cursor accept what Curlew sends and omits?": ({ runs, whole }) => {
    const judged = whole.length > 0 ? whole : runs.filter(({ outcome }) => BLAMES_REQUEST.test(outcome));
    return all(judged, "runs were accepted", hasEnded, outcomeOf);
  },
  "How long is a client version accepted?": ({ runs }) => {
    const judged = runs.filter((run) => run.hasEnded || /Update Required/.test(run.outcome));
    return all(judged, "runs were accepted", hasEnded, ({ version }) => version);
  },
  "Does Cursor answer with headers that nobody reads?": ({ whole }) => {
    const unread = ({ headers }: CapturedRun) => headers.find((name) => !USUAL_HEADER.test(name)) ?? "none";
    return all(whole, "runs have none", (run) => unread(run) === "none", unread);
  },
  "Does a global rule bring the system prompt to the model, and a resumed run the new one?": ({ of }) => {
    const [first, second] = of(prompts.name);
    if (first === undefined || second?.isResumed !== true) return undefined;
    const isObeyed = (run: CapturedRun) => says(run === first ? expected.before : expected.after)(run);
    return all([first, second], "answers obey the newest prompt", isObeyed);
  },
  "Which models get tools by name alone?": ({ of }) => {
    const quoting = of(prompts.marker).filter(({ calls }) => calls.length === 0);
    const isRepeated = shows("rules", expected.earlyMarker);
    const isUsual = (run: CapturedRun) =>
      says(expected.lateMarker)(run) !== run.having("request_context_result").some(isRepeated);
    return all(quoting, "models know descriptions exactly where Curlew repeats none", isUsual, modelOf);
  },
  "Do the tool headers keep Cursor's own tools away?": ({ whole }) => {
    const show = ({ ownCalls: [call] }: CapturedRun) => call?.path ?? "none";
    return all(whole, "runs had no calls of them", ({ ownCalls }) => ownCalls.length === 0, show);
  },
  "How far apart are parallel calls?": ({ of }) => {
    const [run] = of(prompts.twoCalls);
    const started = run?.having("tool_call_started") ?? [];
    const batchOf = (call: FrameLine) =>
      started.flatMap((each) => (names(each, call) ? idsOf(each, "model_call_id") : []))[0]?.id;
    const [first, ...others] = run?.calls.filter(batchOf) ?? [];
    const second = first && others.find((call) => batchOf(call) === batchOf(first));
    if (run === undefined || first === undefined || second === undefined) return undefined;
    const isKnown = run.listed > 0 || run.checkpoints.some((each) => names(each, first) && names(each, second));
    const apartMs = Math.round(second.atMs - first.atMs);
    const text = `${apartMs} ms, ${isKnown ? "announced" : "not announced"}.`;
    return [text, apartMs <= (isKnown ? constants.namedCallMs : constants.quietMs)];
  },
  "Does Cursor list the calls of a batch before it asks for them, those of its own tools included?": ({ whole }) => {
    const listing = whole.filter(({ listed }) => listed > 0);
    const isUsual = ({ listed, calls, ownCalls }: CapturedRun) => listed === calls.length + ownCalls.length;
    return all(listing, "runs list as many calls as they make", isUsual);
  },
  "Does every update have a time beside it?": ({ whole }) => {
    const updates = whole.flatMap(({ having }) => having("interaction_update"));
    const times = updates.flatMap(({ body }) => childOf(body, "message_started_at_ms") ?? []);
    const isUsual = (time: Node) =>
      "number" in time && typeof time.number !== "number" && time.number.bytes === TIME_BYTES;
    return all(times, `times in ${updates.length} updates have ${TIME_BYTES} bytes`, isUsual);
  },
  "When does the staged checkpoint come, and does it name the calls?": ({ whole }) => {
    const staged = whole.flatMap(({ frames, having, calls: [call], checkpoints }) => {
      const announced = frames.findIndex((frame) => frame === call || having("tool_call_started").includes(frame));
      const answered = frames.findIndex(({ path }) => path.endsWith(".mcp_result.success"));
      const near = frames.slice(announced, answered).filter((frame) => checkpoints.includes(frame));
      const checkpoint = near.find((each) => call && names(each, call)) ?? near[0];
      return call === undefined || checkpoint === undefined ? [] : { call, checkpoint };
    });
    const isNamed = ({ call, checkpoint }: (typeof staged)[number]) => names(checkpoint, call);
    const show = ({ call, checkpoint }: (typeof staged)[number]) =>
      `${Math.round(checkpoint.atMs - call.atMs)} ms after it`;
    return all(staged, "checkpoints between a call and its result name it", isNamed, show);
  },
  "What follows `turn_ended`?": ({ whole }) => {
    const isUsual = ({ isSettled, how }: CapturedRun) => isSettled && how === "end-frame";
    return all(whole, "runs have a checkpoint, then an end frame", isUsual, ({ how }) => how);
  },
  "How long is Cursor silent?": ({ runs, whole }) => {
    const longestMs = Math.max(0, ...runs.map(({ silentMs }) => silentMs));
    const isTooLong = longestMs >= constants.silenceMs;
    return whole.length > 0 || isTooLong ? [`At most ${(longestMs / 1_000).toFixed(1)} s.`, !isTooLong] : undefined;
  },
  "Does `input_tokens` include cache reads and writes?": ({ whole }) => {
    const cached = whole.filter(({ cacheTokens }) => cacheTokens > 0);
    const isUsual = ({ inputTokens, cacheTokens }: CapturedRun) => inputTokens >= cacheTokens;
    return all(
      cached,
      "runs count them",
      isUsual,
      (run) => `${run.inputTokens} beside ${run.cacheTokens} of the cache`,
    );
  },
  "Does `input_tokens` count all model calls of a turn?": ({ whole }) => {
    const twice = whole.filter(({ calls }) => calls.length > 0);
    const isUsual = ({ inputTokens, contextTokens }: CapturedRun) => inputTokens > contextTokens;
    return all(twice, "runs count all", isUsual, (run) => `${run.inputTokens} for a context of ${run.contextTokens}`);
  },
  "How large is Cursor's own prompt?": ({ of }) => {
    const [run] = of(prompts.word);
    return run && [`${run.inputTokens} tokens with a few words of ours.`, run.inputTokens >= FLOOR_TOKENS];
  },
  "Are Cursor's blob ids SHA-256 hashes?": ({ runs }) => {
    const stored = runs.flatMap(({ having }) => having("set_blob_args")).filter(hasContent);
    return all(stored, "ids are", (blob) => idsOf(blob, "blob_id").some(({ hashOf }) => hashOf !== undefined));
  },
  "Does Cursor ask for content that a run does not need?": ({ runs }) => {
    const isUsual = ({ having }: CapturedRun) =>
      having("get_blob_args").length === having("get_blob_result").filter(hasContent).length;
    const judged = runs.filter((run) => run.isResumed && (run.hasEnded || !isUsual(run)));
    return all(judged, "resumed runs got all that they asked for", isUsual);
  },
  "What does the new id after an unanswered call cost?": ({ of }) => {
    const show = (run: CapturedRun) => `${run.having("get_blob_args").length} blobs, ${run.readTokens} tokens`;
    return all(of(prompts.leaveIt), "runs read from the cache", ({ readTokens }) => readTokens > 0, show);
  },
  "Which form of a model's name does Cursor take?": ({ runs, of }) => {
    const named = of(prompts.word, runs).filter(({ model, how }) => model !== "default" && how !== "canceled");
    const taken = new Set(named.filter(hasEnded).map(({ form }) => form));
    const models = [...new Set(named.map(modelOf))];
    // The shortest form of a model's name begins all others.
    const bases = models.filter((model) => !models.some((each) => each !== model && model.startsWith(each)));
    const refused = (base: string) =>
      new Set(named.flatMap(({ model, form }) => (model.startsWith(base) && !taken.has(form) ? form : []))).size;
    const show = (base: string) => `${base}: ${refused(base)} refused`;
    return all(bases, "models refuse fewer forms than are tried", (base) => refused(base) < FORMS_TRIED, show);
  },
  "Which models refuse `anyOf`, `oneOf` and `allOf`?": ({ runs, of }) => {
    const isRefused = ({ outcome }: CapturedRun) => /^resource_exhausted\b.*\b400\b/.test(outcome);
    const judged = of(prompts.union, runs).filter((run) => run.hasEnded || isRefused(run));
    return all(judged, "runs took schemas as Curlew sends them", hasEnded, modelOf);
  },
  "Does the model follow words of the user inside a result?": ({ whole }) => {
    const typed = whole.filter(({ having }) => having("mcp_result").some(shows("mcp_result", expected.typed)));
    return all(typed, "answers follow them", says(expected.typed));
  },
  "Does Cursor serve runs over HTTP/1.1?": ({ runs }) => {
    const tried = runs.filter(({ http }) => http === "1.1");
    return all(tried, "runs were served", hasEnded, outcomeOf);
  },
  "Does a resumed run offer the model its new tools?": ({ runs, of }) => {
    const resumed = of(prompts.onlyTool, runs).filter(({ isResumed }) => isResumed);
    return all(resumed, "runs called a new tool", ({ calls }) => calls.length > 0, outcomeOf);
  },
  "Does the model read a history that Curlew has encoded?": ({ of }) =>
    all(of(prompts.lastReply), "answers repeat the last reply", says(expected.history)),
  "Does `approved` let a call proceed?": ({ runs }) => {
    const made = new Set(runs.flatMap(({ calls }) => calls.map(callId)));
    const approved = runs.flatMap(({ approvals }) => approvals.map(callId));
    return all(approved, "approved calls were made", (id) => made.has(id));
  },
  "How long may a run wait for results?": undefined,
  "Can a waiting run learn of new tools?": undefined,
  "Does Cursor refuse an id that was left with an unanswered call?": undefined,
  "What may follow interrupted calls in a staged checkpoint?": undefined,
  "Does a bare `resource_exhausted` mean that the conversation is too long?": undefined,
  "Which privacy modes let Cursor keep content?": undefined,
  "Which model answers for `auto`?": undefined,
  "What does `NameAgent` make of a message, and what does it cost?": undefined,
  "What does a cancelled run cost?": undefined,
  "Are the figures of the plan read correctly?": undefined,
  "Does the blob of a turn say which tools were dynamic, and 0 if none were?": undefined,
  "Does `auto_bucket_models` name all models of the pool Cursor Models?": undefined,
  "How many runs at once does Cursor tolerate?": undefined,
  "Can the session of a CLI login be renewed?": undefined,
  "Do the CLI's deny rules cover listing and searching?": undefined,
  "Does the CLI's `inputTokens` include cache reads?": undefined,
};
