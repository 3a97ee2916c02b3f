import { leaveMidway } from "../../testing/clients/post-json.js";
import { type ChatMessage, chat, tool, user } from "../../testing/clients/tool-client.js";

const json = { "content-type": "application/json" };

/**
 * Plays turns of all kinds, in all dialects: short, long, with tools, with failures and retries, edited, unfinished, aborted.
 * Returns the number of requests.
 */
export async function playTraffic(url: string, key: string, round: number): Promise<number> {
  let requests = 0;
  const headers = { ...json, authorization: `Bearer ${key}` };
  const say = (messages: readonly ChatMessage[], extras: object = {}) => {
    requests++;
    return chat(url, messages, { key, ...extras });
  };
  const post = async (path: string, body: object) => {
    requests++;
    const text = JSON.stringify({ model: "auto", ...body });
    const response = await fetch(url + path, { method: "POST", headers, body: text });
    await response.text();
  };

  const question = user(`[[say Hello ${round}.]] [[usage 1000 20 600 300 5]]`);
  const answer = await say([question]);
  await say([question, answer.message, user("[[say And more.]] [[usage 1100 30 900 100 0]]")]);
  await say([user(`edited ${round} [[say Well.]]`), answer.message, user("[[say Once more.]]")]);

  const tools = [tool("read", { path: { type: "string" } })];
  const asked = user(`[[call read {"path":"a${round}"}]] then [[say Read it.]]`);
  const called = await say([asked], { tools });
  const results = called.calls.map(({ id }): ChatMessage => ({ role: "tool", tool_call_id: id, content: "text" }));
  await say([asked, called.message, ...results], { tools });
  // The result of this call never comes.
  await say([user(`[[call read {"path":"left ${round}"}]]`)], { tools });

  await say([user("[[stream 300]]")]);
  await say([user(`[[drop once]] [[say After a retry ${round}.]]`)]);
  await say([user(`[[update ${40 + round}]] [[say Something new.]]`)]);
  const failing = [user(`[[fail resource_exhausted ERROR_RATE_LIMITED]] ${round}`)];
  // A rate limit blocks all requests for the model.
  for (let times = 0; times < 3; times++) await say(failing, { model: "gpt-5.5" }).catch(() => {});
  await say([user("hi")], { model: "no-such-model" }).catch(() => {});
  await post("/v1/messages", { max_tokens: 100, messages: [user("[[say In another dialect.]]")] });
  await post("/v1/responses", { input: "[[say And another.]]" });
  await post("/v1/completions", { prompt: "[[say The oldest one.]]" });
  await post("/v1/chat/completions", { messages: "nonsense" });
  await leave(url, headers);
  return requests + 1;
}

/** Disconnects during an answer. */
async function leave(url: string, headers: Record<string, string>): Promise<void> {
  const messages = [user("[[say The beginning of a long answer.]] [[wait 60000]]")];
  await leaveMidway(`${url}/v1/chat/completions`, { messages }, headers);
}
