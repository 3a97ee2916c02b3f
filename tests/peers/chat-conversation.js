// One conversation over Chat Completions, with tools of which one is called.
const look = {
  name: "look",
  description: "Looks in a direction.",
  parameters: { type: "object", properties: { where: { type: "string" } }, required: ["where"] },
};
const listen = { name: "listen", description: "Listens for a sound.", parameters: { type: "object", properties: {} } };
/** A client may take more time to collect parallel calls where a request allows them and has more than one tool. */
const tools = {
  tools: [look, listen].map((each) => ({ type: "function", function: each })),
  parallel_tool_calls: true,
};
const MAX_ROUNDS = 4;
const REPLY_MS = 60_000;

/** Sends `prompt`, answers calls with `found` and where, and resolves with the last reply, all calls, and the replies they came in. */
export function openChat(url, model) {
  const messages = [];
  return async (prompt, found) => {
    messages.push({ role: "user", content: prompt });
    const calls = [];
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
      const reply = await ask(url, { model, messages, stream: true, ...tools });
      if (reply.error !== undefined) return { text: reply.text, calls, rounds, error: reply.error };
      messages.push({
        role: "assistant",
        content: reply.text,
        ...(reply.calls.length > 0 && { tool_calls: reply.calls }),
      });
      if (reply.calls.length === 0) return { text: reply.text, calls, rounds };
      for (const { id, function: made } of reply.calls) {
        const args = JSON.parse(made.arguments);
        calls.push({ name: made.name, args });
        messages.push({ role: "tool", tool_call_id: id, content: `${found} in the ${args.where}` });
      }
    }
    throw new Error(`the turn never stops calling: ${JSON.stringify(calls)}`);
  };
}

async function ask(url, body) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REPLY_MS),
  });
  const text = await response.text();
  if (!response.ok) return { text: "", calls: [], error: text };
  const reply = { text: "", calls: [], error: undefined };
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
    const { error, choices = [] } = JSON.parse(line.slice("data: ".length));
    if (error !== undefined) reply.error = JSON.stringify(error);
    for (const { delta } of choices) {
      reply.text += delta.content ?? "";
      for (const call of delta.tool_calls ?? []) addCall(reply.calls, call);
    }
  }
  return reply;
}

function addCall(calls, { index, id, function: made }) {
  calls[index] ??= { id, type: "function", function: { name: "", arguments: "" } };
  calls[index].function.name += made?.name ?? "";
  calls[index].function.arguments += made?.arguments ?? "";
}
