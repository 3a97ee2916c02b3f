import { type ChatAnswer, type ChatMessage, chat, result, tool } from "../clients/tool-client.js";

/** What was played, for tests that look for it on the page. */
export type PlayedTraffic = Awaited<ReturnType<typeof playTraffic>>;

const user = (content: string): ChatMessage => ({ role: "user", content });
const tools = [tool("read_file", { path: { type: "string" } }), tool("run_tests")];

/** Turns as clients of all dialects have them: cold, warm and edited ones, with tools, failures, a retry, and an abandoned one. */
export async function playTraffic(url: string, key?: string) {
  const to: Target = { url, key };
  await haveConversation(to, "morning");
  await editConversation(to, ["unedited-1", "unedited-2", "edited"]);
  await askInOtherDialects(to);
  const toolTurn = ["tools-1", "tools-2", "tools-3"] as const;
  await playToolTurn(to, toolTurn, 1);
  const failures = await fail(to);
  await say(to, "opencode/1.4.2", "retried", [user("[[drop once]] [[say Here after a retry.]]")]);
  await say(to, "opencode/1.4.2", "drifted", [user("[[update 41]] [[say Something new came along.]]")]);
  await leave(to);
  await leaveWaiting(to, "waiting");
  return { toolTurn, failures };
}

export interface Target {
  readonly url: string;
  readonly key: string | undefined;
}

function headersOf({ key }: Target): Record<string, string> {
  return { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
}

function say(
  { url, key }: Target,
  client: string,
  id: string,
  messages: readonly ChatMessage[],
  extras: object = {},
): Promise<ChatAnswer> {
  const headers = { "user-agent": client, "x-request-id": id };
  return chat(url, messages, { model: "composer", ...extras, headers, ...(key !== undefined && { key }) });
}

/** A cold turn and two warm ones. */
async function haveConversation(to: Target, name: string): Promise<void> {
  const client = "opencode/1.4.2";
  const messages = [user("[[think Well.]] [[say A curlew is a bird.]] [[usage 18400 240 12000 3100 60]]")];
  messages.push((await say(to, client, `${name}-1`, messages)).message);
  messages.push(user("[[say It has a long bill.]] [[usage 19100 310 18200 400 0]]"));
  messages.push((await say(to, client, `${name}-2`, messages)).message);
  messages.push(user("[[say And it sings.]] [[usage 19800 95 19000 200 0]]"));
  await say(to, client, `${name}-3`, messages);
}

/** The model's reply is edited afterwards, so that the turn after it, the last of three, is cold again. */
export async function editConversation(to: Target, ids: readonly [string, string, string]): Promise<void> {
  const client = "cline/3.4.0";
  const extras = { model: "gpt-5.5" };
  const file = sourceFile(200);
  const messages = [user(`${file} [[say Yes. ${file}]] [[usage 9000 20 0 8000 0]]`)];
  messages.push((await say(to, client, ids[0], messages, extras)).message);
  messages.push(user("[[say No.]] [[usage 9200 30 8800 300 0]]"));
  const { message } = await say(to, client, ids[1], messages, extras);
  messages.push({ ...message, content: `Perhaps. ${file}` }, user("[[say Well.]] [[usage 9400 30 3000 6000 0]]"));
  const { continuity } = await say(to, client, ids[2], messages, extras);
  if (continuity !== "cold:edited") throw new Error(`the edited turn is ${continuity}`);
}

async function askInOtherDialects(to: Target): Promise<void> {
  const asked = "[[think First, the plan.]] [[say In another dialect.]] [[usage 31000 520 28000 1200 180]]";
  await post(to, "/v1/messages", "claude-cli/2.1.0 (external, cli)", "messages-1", {
    model: "opus",
    max_tokens: 1_000,
    stream: true,
    messages: [user(asked)],
  });
  await post(to, "/v1/responses", "codex_cli_rs/0.60.0 (Debian)", "responses-1", {
    model: "gpt-5.5",
    stream: true,
    input: "[[say And one more.]] [[usage 12000 150 9000 900 40]]",
  });
  await post(to, "/v1/completions", "python-requests/2.32.0", "completions-1", {
    model: "auto",
    prompt: "[[say The oldest dialect.]]",
  });
}

/** One turn in three requests. Tools and model take a while, multiplied by `pace`, so that a timeline has something to show. */
export async function playToolTurn(to: Target, ids: readonly [string, string, string], pace: number): Promise<void> {
  const client = "opencode/1.4.2";
  const toolsMs = [420 * pace, 180 * pace];
  const asked = [
    `[[wait ${250 * pace}]] [[say I look at both files.]] [[wait ${60 * pace}]]`,
    '[[call read_file {"path":"a.ts"}]] [[call read_file {"path":"b.ts"}]] then',
    `[[say Now the tests.]] [[wait ${150 * pace}]] [[call run_tests {}]] then`,
    `[[wait ${120 * pace}]] [[say All is well.]] [[wait ${50 * pace}]] [[usage 52000 900 48000 2000 0]]`,
  ];
  const messages = [user(`${sourceFile(1_500)} ${asked.join(" ")}`)];
  for (const [round, tookMs] of toolsMs.entries()) {
    const { message, calls } = await say(to, client, ids[round] ?? "", messages, { tools });
    if (calls.length !== 2 - round) throw new Error(`${calls.length} calls in round ${round}`);
    await workFor(tookMs);
    messages.push(message, ...calls.map((call) => result(call, "done")));
  }
  await say(to, client, ids[2], messages, { tools });
}

async function fail(to: Target): Promise<Record<string, string>> {
  const client = "cline/3.4.0";
  const failing = {
    limited: { text: "[[fail resource_exhausted ERROR_RATE_LIMITED]]", model: "grok-4.6" },
    broken: { text: "[[say It begins]] [[fail internal]]", model: "gemini-3.1-pro" },
    unknown: { text: "hi", model: "no-such-model" },
  };
  const codes: Record<string, string> = {};
  for (const [id, { text, model }] of Object.entries(failing)) {
    codes[id] = await say(to, client, id, [user(text)], { model }).then(
      ({ finish }) => finish,
      (thrown: { code: string }) => thrown.code,
    );
  }
  return codes;
}

/** A run that waits for a tool result that never comes. */
export async function leaveWaiting(to: Target, id: string): Promise<void> {
  const messages = [user('[[call read_file {"path":"late.ts"}]]')];
  const { finish } = await say(to, "opencode/1.4.2", id, messages, { tools, model: "gpt-5.5" });
  if (finish !== "tool_calls") throw new Error(`the run does not wait for tools, but ended with ${finish}`);
}

interface Held {
  readonly headers: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly content?: string;
}

/** A request that is answered until its client leaves, by the returned function. */
export function holdRequest(url: string, { headers, model = "composer", content = "[[say It begins.]]" }: Held) {
  const leaving = new AbortController();
  const ended = fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, stream: true, messages: [user(`${content} [[wait 3600000]]`)] }),
    signal: leaving.signal,
  })
    .then((response) => response.body?.pipeTo(new WritableStream()))
    .catch(() => {});
  return () => {
    leaving.abort();
    return ended;
  };
}

/** Leaves in the middle of an answer. */
async function leave(to: Target): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(`${to.url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headersOf(to), "user-agent": "opencode/1.4.2", "x-request-id": "left" },
    body: JSON.stringify({ model: "auto", stream: true, messages: [user("[[say A long answer.]] [[wait 3600000]]")] }),
    signal: leaving.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !text.includes("answer"); ) {
    const part = await reader?.read();
    if (part === undefined || part.done) throw new Error(`the answer ended: ${text}`);
    text += part.value;
  }
  leaving.abort();
}

async function post({ url, key }: Target, path: string, client: string, id: string, body: object): Promise<void> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      ...headersOf({ url, key }),
      "anthropic-version": "2023-06-01",
      "user-agent": client,
      "x-request-id": id,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
}

/** Filler that makes a conversation as long as an agent's. */
function sourceFile(lines: number): string {
  return "export const bill = { shape: 'curved' };\n".repeat(lines);
}

/** Simulates the work of a client tool. */
function workFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
