import type { Call, Conversation, GoldenDialect, Line, Tool } from "../../../../testing/golden/dialect.js";
import { judgeChatReply, judgeChatStream } from "../../../../testing/golden/judge-chat.js";
import { judgeOpenAiError } from "../../../../testing/golden/judge-openai-error.js";

export const golden: GoldenDialect = {
  name: "chat",
  path: "/v1/chat/completions",
  canStop: true,
  shapes: { reply: "openai.chatCompletion", event: "openai.chatChunk", error: "openai.error" },
  body: ({ system, lines, tools, stop, maxTokens, schema }: Conversation) => ({
    model: "auto",
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...lines.flatMap(writeLine)],
    stream_options: { include_usage: true },
    ...(tools !== undefined && { tools: tools.map(writeTool) }),
    ...(stop !== undefined && { stop }),
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    ...(schema !== undefined && {
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
    }),
  }),
  deltaPaths: [
    "choices.0.delta.content",
    "choices.0.delta.reasoning_content",
    "choices.0.delta.tool_calls.0.function.arguments",
  ],
  judgeStream: judgeChatStream,
  judgeReply: judgeChatReply,
  judgeError: judgeOpenAiError,
};

function writeLine(line: Line): object[] {
  switch (line.role) {
    case "user": {
      const { text, picture } = line;
      if (picture === undefined) return [{ role: "user", content: text }];
      const image = { type: "image_url", image_url: { url: `data:${picture.mimeType};base64,${picture.base64}` } };
      return [{ role: "user", content: [{ type: "text", text }, image] }];
    }
    case "assistant": {
      const { text, thinking, calls } = line.answer;
      return [
        {
          role: "assistant",
          content: text === "" ? null : text,
          ...(thinking !== "" && { reasoning_content: thinking }),
          ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
        },
      ];
    }
    case "results":
      return line.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  }
}

const writeCall = ({ id, name, input }: Call) => ({ id, type: "function", function: { name, arguments: input } });

const writeTool = ({ name, description, schema }: Tool) => ({
  type: "function",
  function: { name, description, parameters: schema },
});
