import type { AgentRunRequest, RequestContext } from "../../../src/gen/agent_v1_pb.js";

const OWN_PROMPT =
  "You are a simulated agent of Cursor. You follow the directives that the user writes in double brackets.";

/** What the model is told before the conversation begins. */
export interface Briefing {
  system: string;
  context: string;
  /** What the caller gave as the system prompt, by whichever way. */
  given: string[];
}

export function briefingOf(request: AgentRunRequest, contexts: readonly RequestContext[]): Briefing {
  const rules = [...new Set(contexts.flatMap(globalRules))];
  const direct = directPrompts(request);
  return {
    system: [OWN_PROMPT, ...direct].join("\n\n"),
    context: [...contexts.flatMap(environment), ...rules.map((rule) => `<rule>\n${rule}\n</rule>`)].join("\n"),
    given: [...new Set([...direct, ...rules])],
  };
}

/** Only rules that always apply reach the model; the others are merely on offer. */
function globalRules({ rules, cloudRule }: RequestContext): string[] {
  const global = rules.filter(({ type }) => type?.type.case === "global").map(({ content }) => content);
  return [...global, cloudRule ?? ""].filter((text) => text.trim() !== "");
}

function directPrompts({ customSystemPrompt, systemPromptSpec }: AgentRunRequest): string[] {
  return [customSystemPrompt ?? "", systemPromptSpec?.spec.value ?? ""].filter((text) => text.trim() !== "");
}

function environment({ env }: RequestContext): string[] {
  if (env === undefined) return [];
  return [`OS ${env.osVersion}, shell ${env.shell}, workspace ${env.workspacePaths.join(" ")}, zone ${env.timeZone}`];
}
