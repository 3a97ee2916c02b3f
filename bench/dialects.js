// The messages between clients and gateways in each dialect: requests as clients write them, and replies byte for byte as
// the gateway writes them (bench/dialects.test.js compares the two).
import { CALLED_TOOL, spokenText } from "./upstream/spec.js";

const event = (name, data) => `event: ${name}\ndata: ${data}\n\n`;

const chat = {
  name: "chat",
  path: "/v1/chat/completions",
  request: (messages, { tools = [], isStreamed = true } = {}) => ({
    model: "auto",
    ...(isStreamed && { stream: true }),
    messages,
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
  }),
  /** The conversation after the reply that called a tool, and the tool's result. */
  withResult: (messages, id, content) => [
    ...messages,
    {
      role: "assistant",
      content: spokenText(1),
      tool_calls: [{ id, type: "function", function: { name: CALLED_TOOL, arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: id, content },
  ],
  callId: /"tool_calls":\[\{"index":0,"id":"([^"]+)"/,
  newestText: ({ messages }) => messages.at(-1).content,
  textOf: (frame) => frame.choices?.[0]?.delta?.content ?? "",
  wholeText: (body) => body.choices[0].message.content,
  reply(id, atS) {
    const head = `{"id":"chatcmpl-${id}","object":"chat.completion.chunk","created":${atS},"model":"auto","choices":[`;
    const choice = (delta, finish) =>
      `data: ${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
    return {
      begin: () => choice('{"role":"assistant","content":""}', null),
      delta: (text) => choice(`{"content":${JSON.stringify(text)}}`, null),
      end: () => `${choice("{}", '"stop"')}data: [DONE]\n\n`,
      whole(text, deltas) {
        const message = { role: "assistant", content: text, refusal: null };
        const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
        const usage = {
          prompt_tokens: deltas,
          completion_tokens: deltas,
          total_tokens: 2 * deltas,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        };
        const object = "chat.completion";
        return JSON.stringify({ id: `chatcmpl-${id}`, object, created: atS, model: "auto", choices, usage });
      },
    };
  },
};

const responses = {
  name: "responses",
  path: "/v1/responses",
  request: (messages, { tools = [] } = {}) => ({
    model: "auto",
    stream: true,
    input: messages,
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", strict: false, ...tool })) }),
  }),
  withResult: (messages, id, output) => [
    ...messages,
    { role: "assistant", content: spokenText(1) },
    { type: "function_call", call_id: id, name: CALLED_TOOL, arguments: "{}" },
    { type: "function_call_output", call_id: id, output },
  ],
  callId: /"call_id":"([^"]+)"/,
  newestText: ({ input }) => input.at(-1).content ?? input.at(-1).output,
  textOf: (frame) => (frame.type === "response.output_text.delta" ? frame.delta : ""),
  reply(id, atS) {
    const itemId = `msg_${id}_0`;
    const itemPath = `"item_id":"${itemId}","output_index":0,"content_index":0`;
    const part = (text) => ({ type: "output_text", text, annotations: [], logprobs: [] });
    const item = (status, content) => ({ id: itemId, type: "message", role: "assistant", status, content });
    const numbered = (type, body, number) => event(type, `{"type":"${type}",${body},"sequence_number":${number}}`);
    const response = (status, completedAtS, output, usage) =>
      `"response":${JSON.stringify({
        id: `resp_${id}`,
        object: "response",
        created_at: atS,
        status,
        completed_at: completedAtS,
        error: null,
        incomplete_details: null,
        usage,
        model: "auto",
        output,
        ...asRequested,
      })}`;
    return {
      begin: () =>
        numbered("response.created", response("in_progress", null, [], null), 0) +
        numbered("response.in_progress", response("in_progress", null, [], null), 1) +
        numbered(
          "response.output_item.added",
          `"output_index":0,"item":${JSON.stringify(item("in_progress", []))}`,
          2,
        ) +
        numbered("response.content_part.added", `${itemPath},"part":${JSON.stringify(part(""))}`, 3),
      delta: (text, index) =>
        numbered("response.output_text.delta", `${itemPath},"logprobs":[],"delta":${JSON.stringify(text)}`, index + 4),
      end(text, deltas) {
        const usage = {
          input_tokens: deltas,
          input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
          output_tokens: deltas,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 2 * deltas,
        };
        const done = item("completed", [part(text)]);
        const next = deltas + 4;
        return (
          numbered("response.output_text.done", `${itemPath},"text":${JSON.stringify(text)},"logprobs":[]`, next) +
          numbered("response.content_part.done", `${itemPath},"part":${JSON.stringify(part(text))}`, next + 1) +
          numbered("response.output_item.done", `"output_index":0,"item":${JSON.stringify(done)}`, next + 2) +
          numbered("response.completed", response("completed", atS, [done], usage), next + 3)
        );
      },
    };
  },
};

/** The fields of a request that its response repeats. */
const asRequested = {
  instructions: null,
  previous_response_id: null,
  store: true,
  background: false,
  metadata: {},
  tools: [],
  tool_choice: "auto",
  parallel_tool_calls: true,
  max_tool_calls: null,
  max_output_tokens: null,
  reasoning: { effort: null, summary: null },
  text: { format: { type: "text" }, verbosity: "medium" },
  truncation: "disabled",
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  service_tier: "default",
  safety_identifier: null,
  prompt_cache_key: null,
};

const messages = {
  name: "messages",
  path: "/v1/messages",
  request: (list, { tools = [] } = {}) => ({
    model: "auto",
    stream: true,
    max_tokens: 1_000_000,
    messages: list,
    ...(tools.length > 0 && {
      tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
  }),
  withResult: (list, id, content) => [
    ...list,
    {
      role: "assistant",
      content: [
        { type: "text", text: spokenText(1) },
        { type: "tool_use", id, name: CALLED_TOOL, input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ],
  callId: /"type":"tool_use","id":"([^"]+)"/,
  newestText({ messages: list }) {
    const { content } = list.at(-1);
    return typeof content === "string" ? content : content[0].content;
  },
  textOf: (frame) => (frame.type === "content_block_delta" ? (frame.delta.text ?? "") : ""),
  reply(id) {
    const typed = (type, rest = "") => event(type, `{"type":"${type}"${rest}}`);
    const counts = (input, output) =>
      `"input_tokens":${input},"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":${output},` +
      '"output_tokens_details":{"thinking_tokens":0},"server_tool_use":null,"iterations":null,"fallback_credit":null';
    const nothing = '"stop_sequence":null,"stop_details":null,"container":null';
    return {
      begin: () =>
        typed(
          "message_start",
          `,"message":{"id":"msg_${id}","type":"message","role":"assistant","model":"auto","content":[],` +
            `"stop_reason":null,${nothing},"context_management":null,"diagnostics":null,"usage":{${counts(20, 0)},` +
            '"cache_creation":null,"inference_geo":null,"service_tier":null,"speed":null}}',
        ) +
        typed("ping") +
        typed("content_block_start", ',"index":0,"content_block":{"type":"text","text":"","citations":[]}'),
      delta: (text) =>
        typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}`),
      end: (_text, deltas) =>
        typed("content_block_stop", ',"index":0') +
        typed(
          "message_delta",
          `,"delta":{"stop_reason":"end_turn",${nothing}},"usage":{${counts(deltas, deltas)}},"context_management":null`,
        ) +
        typed("message_stop"),
    };
  },
};

export const dialects = { chat, responses, messages };

export function dialectOf(path) {
  return Object.values(dialects).find((dialect) => dialect.path === path);
}
