import type { Answer, Call, Conversation, GoldenDialect, Line, Tool } from "../../../../testing/golden/dialect.js";
import {
  judgeMessagesError,
  judgeMessagesReply,
  judgeMessagesStream,
} from "../../../../testing/golden/judge-messages.js";
import { OWN_SIGNATURE } from "./message.js";

export const golden: GoldenDialect = {
  name: "messages",
  path: "/v1/messages",
  canStop: true,
  shapes: { reply: "anthropic.message", event: "anthropic.messageEvent", error: "anthropic.error" },
  body: ({ system, lines, tools, thinks, stop, maxTokens, schema }: Conversation) => ({
    model: "auto",
    max_tokens: maxTokens ?? 8_192,
    messages: writeLines(lines),
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools: tools.map(writeTool) }),
    ...(thinks === true && { thinking: { type: "enabled", budget_tokens: 4_096 } }),
    ...(stop !== undefined && { stop_sequences: [stop] }),
    ...(schema !== undefined && { output_config: { format: { type: "json_schema", schema } } }),
  }),
  deltaPaths: ["delta.text", "delta.thinking", "delta.partial_json"],
  judgeStream: judgeMessagesStream,
  judgeReply: judgeMessagesReply,
  judgeError: judgeMessagesError,
};

/** Text that was typed while tools ran is in the same message as their results. */
function writeLines(lines: readonly Line[]): object[] {
  return lines.flatMap((line, index) => {
    if (line.role === "user" && lines[index - 1]?.role === "results") return [];
    const next = lines[index + 1];
    const words = next?.role === "user" ? blocksOf(next) : [];
    return [writeLine(line, words)];
  });
}

function writeLine(line: Line, wordsBeside: readonly object[]): object {
  switch (line.role) {
    case "user":
      return { role: "user", content: line.picture === undefined ? line.text : blocksOf(line) };
    case "assistant":
      return { role: "assistant", content: writeAnswer(line.answer) };
    case "results":
      return {
        role: "user",
        content: [
          ...line.results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
          ...wordsBeside,
        ],
      };
  }
}

function blocksOf({ text, picture }: Extract<Line, { role: "user" }>): object[] {
  if (picture === undefined) return [{ type: "text", text }];
  const source = { type: "base64", media_type: picture.mimeType, data: picture.base64 };
  return [
    { type: "text", text },
    { type: "image", source },
  ];
}

function writeAnswer({ text, thinking, calls }: Answer): object[] {
  return [
    ...(thinking === "" ? [] : [{ type: "thinking", thinking, signature: OWN_SIGNATURE }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(writeCall),
  ];
}

const writeCall = ({ id, name, input }: Call) => ({ type: "tool_use", id, name, input: JSON.parse(input) });

const writeTool = ({ name, description, schema }: Tool) => ({ name, description, input_schema: schema });
