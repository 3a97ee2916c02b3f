import type { AgentRunRequest, RequestContext } from "@curlew/wire/gen/agent_v1_pb.js";

const OWN_PROMPT =
  "You are a simulated agent of Cursor. You follow the directives that the user writes in double brackets.";

/** What the model reads before the conversation. */
export interface Briefing {
  system: string;
  context: string;
  /** The caller's system prompt, from any of the fields that may hold it. */
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

/** Only rules that always apply reach the model (docs/protocol/wire.md, system prompt). The others are merely offered. */
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
