import { isRun } from "@curlew/wire/messages/calls.js";
import type { Capture, CapturedCall, FrameLine, Node, Piece } from "@curlew/wire/messages/capture-format.js";

export type CapturedRun = ReturnType<typeof readRun>;

export function runsIn({ calls }: Capture): CapturedRun[] {
  return calls.filter(({ opening }) => isRun(opening.path)).map(readRun);
}

/** Requests of the server that are no calls of its own tools. */
const NO_TOOL = /\.(?:request_context|mcp_|\w*(?:precheck|classifier|hook|diagnostics|conflict|adopt)_)/;

function readRun({ opening, events }: CapturedCall) {
  const frames = events.filter((event) => event.type === "frame");
  /** The messages in which this case is set, wherever it stands. */
  const having = (name: string): FrameLine[] => frames.filter(({ path }) => path.split(".").includes(name));
  const request = having("run_request")[0]?.body;
  const requested = childOf(request, "requested_model");
  const endedAt = frames.findIndex(({ path }) => path.endsWith(".turn_ended"));
  const checkpoints = having("conversation_checkpoint_update");
  const head = events.find((event) => event.type === "head");
  const end = events.findLast((event) => event.type === "end");
  const how = head === undefined || head.status === 200 ? (end?.how ?? "still open") : `HTTP status ${head.status}`;
  const tokens = (name: string) => numberOf(frames[endedAt]?.body, `${name}_tokens`) ?? 0;
  const heardMs = events.flatMap((event) => ("from" in event && event.from === "client" ? [] : event.atMs));
  const asksApproval = ({ body }: FrameLine) => numberOf(body, "smart_mode_approval_only") === 1;
  return {
    http: opening.http,
    version: opening.headers.find(({ name }) => name === "x-cursor-client-version")?.pieces.join(""),
    /** The names of the headers of the answer. */
    headers: head?.headers.map(({ name }) => name) ?? [],
    frames,
    having,
    checkpoints,
    hasEnded: endedAt !== -1,
    /** Whether a checkpoint follows the end of the turn. */
    isSettled: checkpoints.some((checkpoint) => frames.indexOf(checkpoint) > endedAt),
    how,
    /** The error, or how it ended without one. */
    outcome: textOf(childOf(end?.body, "error")) || how,
    prompt: textOf(childOf(childOf(request, "user_message"), "text")),
    model: textOf(childOf(requested, "model_id")),
    /** The model's name with all that belongs to it. */
    form: JSON.stringify(requested),
    /** Whether it goes on from a checkpoint: a history that Curlew has encoded has no count of its tokens. */
    isResumed: childOf(childOf(request, "conversation_state"), "token_details") !== undefined,
    said: having("text_delta").reduce((text, { body }) => text + textOf(childOf(body, "text")), ""),
    calls: having("mcp_args").filter((frame) => !asksApproval(frame)),
    approvals: having("mcp_args").filter(asksApproval),
    ownCalls: having("exec_server_message").filter(({ path }) => !NO_TOOL.test(path)),
    /** The calls that were announced before they were made. */
    listed: having("tool_requests_listed").reduce((sum, { body }) => sum + (numberOf(body, "call_count") ?? 0), 0),
    inputTokens: tokens("input"),
    readTokens: tokens("cache_read"),
    cacheTokens: tokens("cache_read") + tokens("cache_write"),
    contextTokens: numberOf(checkpoints.at(-1)?.body, "used_tokens") ?? 0,
    /** The longest time in which nothing came. */
    silentMs: heardMs.reduce(
      (longest, atMs, index) => Math.max(longest, atMs - (heardMs[index - 1] ?? opening.atMs)),
      0,
    ),
  };
}

/** The first field of this name, from the outside in. */
export function childOf(node: Node | undefined, name: string): Node | undefined {
  if (node === undefined || node.name === name) return node;
  for (const field of fieldsOf(node)) {
    const found = childOf(field, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldsOf(node: Node | undefined): readonly Node[] {
  return node !== undefined && "fields" in node ? node.fields : [];
}

function piecesOf(node: Node | undefined): readonly Piece[] {
  return node !== undefined && "pieces" in node ? node.pieces : fieldsOf(node).flatMap(piecesOf);
}

/** The ids in a message, or in its first field of this name. */
export function idsOf({ body }: FrameLine, name?: string) {
  const pieces = piecesOf(name === undefined ? body : childOf(body, name));
  return pieces.flatMap((piece) => (typeof piece !== "string" && "id" in piece ? piece : []));
}

export function hasContent({ body }: FrameLine): boolean {
  return piecesOf(childOf(body, "blob_data")).length > 0;
}

/** The texts in a node. Each has an ellipsis where something was left out. */
export function textOf(node: Node | undefined): string {
  if (node === undefined || !("pieces" in node)) return fieldsOf(node).map(textOf).filter(Boolean).join(" ");
  return node.pieces.map((piece) => (typeof piece === "string" ? piece : "…")).join("");
}

function numberOf(node: Node | undefined, name: string): number | undefined {
  const found = childOf(node, name);
  return found !== undefined && "number" in found && typeof found.number === "number" ? found.number : undefined;
}
