import type { Message, ToolDefinition } from "../../../turn/turn.js";
import { reasonOf } from "../finding.js";
import { results, said, user } from "./lab.js";
import {
  asExpected,
  harmless,
  isOwnRefusal,
  notShown,
  otherwise,
  type Probe,
  type ProbeBench,
  type Verdict,
} from "./probe.js";
import { expected, prompts, resultOf, tools } from "./probe-texts.js";
import { has } from "./talk-probes.js";

export const description: Probe = {
  claims: [{ name: "description", claim: "The description of a tool reaches the model" }],
  turns: 1,
  async *run({ lab }) {
    const { text, calls } = await lab.ask({ messages: [user(prompts.marker)], tools: [tools.tide] });
    const isWhole = has(text, expected.lateMarker);
    if (isWhole) yield asExpected("The model quotes its last marker word.", text);
    else if (has(text, expected.earlyMarker))
      yield harmless("Only its first line, which Curlew repeats in a rule: this model gets no descriptions.", text);
    else if (calls.length > 0) yield notShown("The model called the tool and quoted nothing.", text);
    else
      yield otherwise(
        "The model knows no word of it: it gets tools by name alone. Set dynamicTools for its family in cursor.json.",
        text,
      );
  },
};

/** Combinators for one model. */
export function combinators(model: string): Probe {
  return {
    claims: [{ name: "combinators", claim: `${model} takes a tool whose schema has oneOf, anyOf and allOf` }],
    turns: 1,
    async *run(bench) {
      try {
        yield await useTool(bench, { tool: tools.bird, prompt: prompts.union, model });
      } catch (thrown) {
        if (!isOwnRefusal(thrown)) throw thrown;
        const advice = "If it takes other turns, name the keywords in schema.refuses of its family in cursor.json.";
        yield otherwise(`${thrown.code}: ${reasonOf(thrown)} ${advice}`);
      }
    },
  };
}

export const longName: Probe = {
  claims: [
    { name: "long name", claim: "A tool with a long name is called, and the client gets the call by that name" },
  ],
  turns: 1,
  async *run(bench) {
    yield await useTool(bench, { tool: tools.archive, prompt: prompts.onlyTool });
  },
};

interface ToolUse {
  readonly tool: ToolDefinition;
  readonly prompt: string;
  readonly model?: string;
}

/** Has the model call this tool, and looks whether the result reaches it. */
async function useTool({ lab }: ProbeBench, { tool, prompt, ...model }: ToolUse): Promise<Verdict> {
  const messages: Message[] = [user(prompt)];
  const asked = await lab.ask({ messages, tools: [tool], ...model });
  const [call] = asked.calls;
  if (call === undefined) return otherwise("The model called no tool.", asked.text);
  if (call.name !== tool.name) return otherwise(`The call came under the name ${call.name}.`, asked.text);
  messages.push(said(asked), results(asked.calls));
  const { text } = await lab.askThrough({ messages, tools: [tool], ...model });
  return has(text, resultOf(tool.name)?.word ?? tool.name)
    ? asExpected("It was called, and its result reached the model.", text)
    : otherwise("The result did not reach the model.", text);
}
