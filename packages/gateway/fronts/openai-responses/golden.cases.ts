import type { Call, Conversation, GoldenDialect, Line, Tool } from "../../../../testing/golden/dialect.js";
import { judgeOpenAiError } from "../../../../testing/golden/judge-openai-error.js";
import { judgeResponsesReply, judgeResponsesStream } from "../../../../testing/golden/judge-responses.js";

export const golden: GoldenDialect = {
  name: "responses",
  path: "/v1/responses",
  canStop: false,
  shapes: { reply: "openai.response", event: "openai.responseEvent", error: "openai.error" },
  body: ({ system, lines, tools, thinks, maxTokens, schema }: Conversation) => ({
    model: "auto",
    store: false,
    input: lines.flatMap(writeLine),
    ...(system !== undefined && { instructions: system }),
    ...(tools !== undefined && { tools: tools.map(writeTool) }),
    ...(thinks === true && { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(schema !== undefined && { text: { format: { type: "json_schema", name: "answer", strict: true, schema } } }),
  }),
  deltaPaths: ["delta"],
  judgeStream: judgeResponsesStream,
  judgeReply: judgeResponsesReply,
  judgeError: judgeOpenAiError,
};

function writeLine(line: Line): object[] {
  switch (line.role) {
    case "user": {
      const { text, picture } = line;
      if (picture === undefined) return [{ role: "user", content: text }];
      const image = { type: "input_image", image_url: `data:${picture.mimeType};base64,${picture.base64}` };
      return [{ role: "user", content: [{ type: "input_text", text }, image] }];
    }
    case "assistant": {
      const { text, thinking, calls } = line.answer;
      const thought = { type: "reasoning", summary: [{ type: "summary_text", text: thinking }] };
      const said = { role: "assistant", content: [{ type: "output_text", text }] };
      return [...(thinking === "" ? [] : [thought]), ...(text === "" ? [] : [said]), ...calls.map(writeCall)];
    }
    case "results":
      return line.results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
  }
}

const writeCall = ({ id, name, input }: Call) => ({ type: "function_call", call_id: id, name, arguments: input });

const writeTool = ({ name, description, schema }: Tool) => ({
  type: "function",
  name,
  description,
  parameters: schema,
  strict: false,
});
