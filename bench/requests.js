// Bodies of requests, as agents and scripts send them.
import { dialects } from "./dialects.js";
import { CALLED_TOOL, spokenText, writeSpec } from "./upstream/spec.js";

const MESSAGE_BYTES = 300;

/** A request with one short question. The number makes each a conversation of its own. */
export function shortRequest(dialect, number, { spec, isStreamed } = {}) {
  return JSON.stringify(dialect.request([user(spec, number)], { isStreamed }));
}

/** An agent's turn in a conversation of `length` messages, with 15 tools, a context question and a checkpoint. */
export function agentTurn(messages, { tools = agentTools, isStreamed, dialect = dialects.chat } = {}) {
  return JSON.stringify(dialect.request(messages, { tools, isStreamed }));
}

const fullTurn = { context: 1, checkpoint: 1 };

/** A conversation of `length` messages. With a `number`, it shares no message with other conversations. */
export function conversation(length, number, { spec = fullTurn, messageBytes = MESSAGE_BYTES } = {}) {
  const said = Array.from({ length: length - 1 }, (_, index) => filler(index, `${number}.${index}`, messageBytes));
  return [...said, user(spec, number)];
}

/** The same conversation with its reply and a new message at the end. */
export function goOn(messages, number, spec = fullTurn) {
  return [...messages, { role: "assistant", content: spokenText(1) }, user(spec, number)];
}

const callingSpec = { ...fullTurn, call: 1 };

/** A turn in which the model calls a tool whose result never comes. */
export function callingTurn(number) {
  return agentTurn([user(callingSpec, number)]);
}

/** A conversation of `length` messages whose next reply calls a tool. */
export function callingConversation(length, number) {
  return conversation(length, number, { spec: callingSpec });
}

function user(spec, number) {
  return { role: "user", content: `${writeSpec(spec)} ${number}` };
}

function filler(index, mark, bytes) {
  const text = `Message ${mark} of this conversation. `.padEnd(
    bytes,
    "It says something about a file, a line and a fault. ",
  );
  return { role: index % 2 === 0 ? "user" : "assistant", content: text };
}

const names = [CALLED_TOOL, "write_file", "edit_file", "list_folder", "search_text", "find_files", "run_command"];
names.push(
  "fetch_page",
  "ask_user",
  "make_plan",
  "show_changes",
  "run_tests",
  "open_browser",
  "start_task",
  "read_image",
);

/** Fifteen tools of the size that coding agents send: about 1.2 KiB each. */
const agentTools = names.map((name) => ({
  name,
  description: `${name.replace("_", " ")}: ${"does one thing in the project and says plainly what came of it. ".repeat(5)}`,
  parameters: {
    type: "object",
    properties: {
      ...Object.fromEntries(
        ["path", "pattern", "content", "reason"].map((key) => [
          key,
          { type: "string", description: `The ${key} that ${name} takes, relative to the root of the project.` },
        ]),
      ),
      limit: { type: "integer", minimum: 1, maximum: 10_000, description: "How many lines at most." },
      mode: { type: "string", enum: ["fast", "exact", "deep"], description: "How hard it looks." },
      options: {
        type: "object",
        properties: { recursive: { type: "boolean" }, depth: { type: "number" }, tags: arrayOf({ type: "string" }) },
      },
    },
    required: ["path"],
    additionalProperties: false,
  },
}));

/** The same tools again and again under other names. */
export function manyTools(count) {
  return Array.from({ length: count }, (_, index) => {
    const tool = agentTools[index % agentTools.length];
    return { ...tool, name: `${tool.name}_${index}` };
  });
}

function arrayOf(items) {
  return { type: "array", items };
}
