import { parseSse } from "../../testing/clients/parse-sse.js";
import { postJson } from "../../testing/clients/post-json.js";
import type { Answer, Call, Conversation, GoldenDialect, Line, Picture, Tool } from "../../testing/golden/dialect.js";
import type { TurnRecord } from "./tool-user.js";

export interface TypingHabits {
  isStreamed: boolean;
  /** Sends the results in the opposite order of the calls. */
  isReversed: boolean;
  /** Sends words in a message of their own also where the dialect's clients put them beside the results. */
  isApart: boolean;
}

const text = { type: "string" };
const tool = (name: string, properties: Record<string, unknown>): Tool => ({
  name,
  description: `The tool ${name}.`,
  schema: { type: "object", properties },
});
const tools = [
  tool("weather", { place: text }),
  tool("lookup", { place: text }),
  tool("bash", { command: text }),
  tool("read", { path: text }),
  tool("fetch", { url: text }),
];

/** A client of any dialect that really runs its tools, and whose user types while they run. */
export class TypingUser {
  /** How often each call, as `name {arguments}`, was run. */
  readonly executions = new Map<string, number>();
  readonly continuities: string[] = [];
  readonly #url: string;
  readonly #dialect: GoldenDialect;
  readonly #habits: TypingHabits;
  readonly #lines: Line[] = [];

  constructor(url: string, dialect: GoldenDialect, habits: TypingHabits) {
    this.#url = url;
    this.#dialect = dialect;
    this.#habits = habits;
  }

  /** One user turn, up to its last word. `types` says what the user types when the client has been sent so many calls. */
  async say(
    words: string,
    types: (calls: number) => { text: string; picture?: Picture } | undefined,
  ): Promise<TurnRecord> {
    const turn: TurnRecord = { text: "", calls: [], end: "stop" };
    this.#lines.push({ role: "user", text: words });
    for (;;) {
      const answer = await this.#ask();
      turn.text += answer.text;
      this.#lines.push({ role: "assistant", answer });
      if (answer.calls.length === 0) return turn;
      turn.calls.push(...answer.calls.map(nameCall));
      const results = answer.calls.map((call) => ({ id: call.id, text: this.#run(call) }));
      this.#lines.push({ role: "results", results: this.#habits.isReversed ? results.toReversed() : results });
      const typed = types(turn.calls.length);
      if (typed !== undefined) this.#lines.push({ role: "user", ...typed });
    }
  }

  #run(call: Call): string {
    const named = nameCall(call);
    const times = (this.executions.get(named) ?? 0) + 1;
    this.executions.set(named, times);
    return `#${times} of ${named}`;
  }

  async #ask(): Promise<Answer> {
    const { isStreamed, isApart } = this.#habits;
    const conversation: Conversation = { system: "You help with everyday work.", lines: this.#lines, tools };
    const body = this.#dialect.body(conversation);
    const response = await postJson(this.#url + this.#dialect.path, {
      ...(isApart ? withWordsApart(body) : body),
      stream: isStreamed,
    });
    this.continuities.push(response.headers.get("x-curlew-continuity") ?? `status ${response.status}`);
    const raw = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${raw.slice(0, 300)}`);
    const answer = isStreamed ? this.#dialect.judgeStream(parseSse(raw)) : this.#dialect.judgeReply(JSON.parse(raw));
    if (answer.ending === "error") throw new Error(`the stream ended in an error: ${raw.slice(-300)}`);
    return answer;
  }
}

/** Splits messages that have both results and words. */
function withWordsApart({ messages, ...rest }: Readonly<Record<string, unknown>>): object {
  if (!Array.isArray(messages)) return { messages, ...rest };
  const split = messages.flatMap((message) => {
    if (!Array.isArray(message.content)) return [message];
    const [results, words] = [true, false].map((wanted) =>
      message.content.filter(({ type }: { type: string }) => (type === "tool_result") === wanted),
    );
    return [results, words].flatMap((content = []) => (content.length > 0 ? [{ ...message, content }] : []));
  });
  return { messages: split, ...rest };
}

/** A picture whose bytes have a mark in them. */
export function pictureOf(mark: string): Picture {
  const bytes = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from(mark), Buffer.alloc(60)]);
  return { mimeType: "image/png", base64: bytes.toString("base64") };
}

function nameCall({ name, input }: Call): string {
  return `${name} ${JSON.stringify(JSON.parse(input))}`;
}
