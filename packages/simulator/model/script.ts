import type { JsonObject } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import type { BreakOff, Directive, LocatedDirective, TurnUsage } from "./directives.js";
import { execRequest, findExecKind, isRequestField } from "./exec-kinds.js";
import { findQueryKind, queryRequest } from "./query-kinds.js";
import { findTool, type Tool } from "./tools.js";

/** What the model does without a question to the client. */
export type Act =
  | { type: "say" | "think" | "refuse" | "notice"; text: string }
  | { type: "stream" | "flood"; count: number }
  | { type: "wait"; ms: number }
  | { type: "fail"; code: Code; error: number | undefined }
  | { type: "update"; field: number }
  /** `at` is its position among the directives of the message. */
  | (BreakOff & { at: number });

/** What the model asks of the client. `label` is the tool's name in the transcript. */
export type Ask = { label: string; args: JsonObject } & (
  | { type: "call"; tool: Tool; afterMs: number; isPartial: boolean; checkpointAfterMs?: number }
  | { type: "native"; kind: string }
  | { type: "query"; kind: string }
  | { type: "exec"; field: number }
  | { type: "state" }
);

/** The asks of one step go out together, and the next step waits for all their answers. */
export type Step = { type: "act"; act: Act } | { type: "asks"; asks: readonly Ask[] };

export interface Script {
  steps: readonly Step[];
  usage: TurnUsage | undefined;
}

/** Converts the directives of a message to a script for a model with these tools. */
export function readScript(directives: readonly LocatedDirective[], tools: readonly Tool[]): Script {
  const steps: Step[] = [];
  let group: Ask[] | undefined;
  let usage: TurnUsage | undefined;
  let afterMs = 0;
  let isPartial = false;
  let checkpointAfterMs = 0;
  for (const [at, { directive, isAdjacent }] of directives.entries()) {
    if (!isAdjacent) group = undefined;
    if (directive.type === "gap") afterMs += directive.ms;
    else if (directive.type === "partial") isPartial = true;
    else if (directive.type === "delay-checkpoint") checkpointAfterMs = directive.ms;
    else if (directive.type === "usage") usage = directive.usage;
    else if (directive.type === "call") {
      const tool = findTool(tools, directive.name);
      if (tool === undefined) {
        steps.push(say(notOffered(directive.name)));
        continue;
      }
      // A gap before the first call of a group has no effect.
      const wait = group === undefined ? 0 : afterMs;
      const ask: Ask = { type: "call", tool, label: tool.name, args: directive.args, afterMs: wait, isPartial };
      if (checkpointAfterMs > 0) ask.checkpointAfterMs = checkpointAfterMs;
      afterMs = 0;
      if (group === undefined) {
        group = [];
        steps.push({ type: "asks", asks: group });
      }
      group.push(ask);
    } else if (directive.type !== "badjson" && directive.type !== "ignore") {
      group = undefined;
      steps.push(readStep(directive, at));
    }
  }
  return { steps, usage };
}

export function notOffered(name: string): string {
  return `The tool ${name} was not offered to me.\n`;
}

export function say(text: string): Step {
  return { type: "act", act: { type: "say", text } };
}

type Plain = Exclude<
  Directive,
  { type: "gap" | "delay-checkpoint" | "partial" | "usage" | "call" | "badjson" | "ignore" }
>;

function readStep(directive: Plain, at: number): Step {
  switch (directive.type) {
    case "say":
    case "think":
    case "refuse":
    case "notice":
    case "stream":
    case "flood":
    case "fail":
    case "update":
      return { type: "act", act: directive };
    case "drop":
    case "end":
    case "goaway":
      return { type: "act", act: { ...directive, at } };
    case "wait":
      return { type: "act", act: { type: "wait", ms: directive.ms } };
    case "native": {
      const kind = findExecKind(directive.kind);
      if (kind === undefined) return say(`There is no built-in tool ${directive.kind}.\n`);
      const { name } = kind;
      return orComplain(name, () => execRequest(kind, directive.args, ""), {
        asks: [{ type: "native", kind: name, label: `native ${name}`, args: directive.args }],
      });
    }
    case "query": {
      const kind = findQueryKind(directive.kind);
      if (kind === undefined) return say(`There is no query ${directive.kind}.\n`);
      const { name } = kind;
      return orComplain(name, () => queryRequest(kind, directive.args, ""), {
        asks: [{ type: "query", kind: name, label: `query ${name}`, args: directive.args }],
      });
    }
    case "exec":
      if (!isRequestField(directive.field)) return say(`Field ${directive.field} is not for requests.\n`);
      return {
        type: "asks",
        asks: [{ type: "exec", field: directive.field, label: `exec ${directive.field}`, args: {} }],
      };
    case "state":
      return { type: "asks", asks: [{ type: "state", label: "state", args: {} }] };
    case "unreadable":
      return say(`I cannot read ${directive.source}: ${directive.reason}.\n`);
  }
}

/** The step if its arguments can be encoded in protobuf, otherwise a complaint. */
function orComplain(name: string, tryOut: () => unknown, { asks }: { asks: readonly Ask[] }): Step {
  try {
    tryOut();
    return { type: "asks", asks };
  } catch (cause) {
    return say(`These are no arguments of ${name}: ${cause instanceof Error ? cause.message : cause}.\n`);
  }
}
