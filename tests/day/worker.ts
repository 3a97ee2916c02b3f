import { parseSse } from "../../testing/clients/parse-sse.js";
import { postJson } from "../../testing/clients/post-json.js";
import type { Answer, Call, GoldenDialect, Line, Tool } from "../../testing/golden/dialect.js";
import type { Random } from "../replay/random.js";
import type { TurnRecord } from "../replay/tool-user.js";
import { type Pieces, withoutPieces } from "./pieces.js";
import type { PlannedMessage } from "./plan.js";

interface WorkerDeps {
  dialect: GoldenDialect;
  pieces: Pieces;
  /** The current address of the gateway. */
  url(): string;
  restart(random: Random): Promise<void>;
}

const text = { type: "string" };
const tool = (name: string, properties: Record<string, unknown>): Tool => ({
  name,
  description: `The tool ${name}.`,
  schema: { type: "object", properties },
});
/** The simulated model repeats results in full up to 2,000 characters. */
const RESULT_BYTES = 1_800;
const WORDS_BYTES = 2_000;
/** Outlasts the time until the client leaves, also on a busy machine. */
const LONG_WAIT = "[[say Wait.]] [[wait 60000]]";
/** Long enough that most cuts come before the end. */
const SHORT_WAIT = "[[think This takes a moment.]] [[wait 300]]";

/** The gateway expects no broken connections from the same machine. */
const fromElsewhere = { "x-forwarded-for": "203.0.113.7" };

/** One conversation in one dialect, with a client that runs its tools and plays the habits of its user. */
export class Worker {
  /** The continuity of each reply to the current message. */
  continuities: string[] = [];
  readonly #deps: WorkerDeps;
  readonly #branches: Line[][] = [];
  readonly #tools = [
    tool("weather", { place: text }),
    tool("lookup", { place: text }),
    tool("bash", { command: text }),
    tool("read", { path: text }),
    tool("fetch", { url: text }),
  ];
  #lines: Line[] = [];

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
  }

  /** Plays one user message to its end. Also returns what the client sent for it. */
  async play(message: PlannedMessage): Promise<{ turn: TurnRecord; sent: string }> {
    const { kind, script, random } = message;
    const { pieces } = this.#deps;
    this.continuities = [];
    if (kind === "restarted") await this.#deps.restart(random);
    if (kind === "tool added") this.#addTool();
    if (kind === "edited") this.#lines.splice(this.#turnStarts().at(-1) ?? 0);
    if (kind === "branched") this.#branch(random);
    const before = this.#lines.length;
    const delay = kind === "aborted" ? LONG_WAIT : kind === "cut and retried" ? SHORT_WAIT : "";
    this.#lines.push({ role: "user", text: `${delay} ${script.directives} ${pieces.make(random, WORDS_BYTES)}` });
    const turn = kind === "aborted" ? await this.#abort() : await this.#turn(message);
    const sent = JSON.stringify(this.#lines.slice(before));
    if (kind === "compacted") {
      const summary = `This is what was said so far: ${pieces.make(random, WORDS_BYTES)}`;
      this.#lines = [{ role: "user", text: summary }];
    }
    return { turn: { ...turn, text: withoutPieces(turn.text) }, sent };
  }

  async #turn(message: PlannedMessage): Promise<TurnRecord> {
    const { kind, script, random } = message;
    const turn: TurnRecord = { text: "", calls: [], end: "error" };
    /** The round in which the habit is played. */
    const at = random.between(0, Math.max(0, script.rounds - 1));
    for (let round = 0; ; round++) {
      const answer = await this.#ask(message, round === at);
      turn.text += answer.text;
      this.#lines.push({ role: "assistant", answer });
      if (answer.calls.length === 0) return { ...turn, end: "stop" };
      turn.calls.push(...answer.calls.map(nameCall));
      const isNow = round === at;
      if (kind === "dropped results" && isNow) return { ...turn, end: "dropped" };
      if (kind === "tool added in a round" && isNow) this.#addTool();
      if (kind === "restarted in a round" && isNow) await this.#deps.restart(random);
      const results = answer.calls.map((call) => ({ id: call.id, text: this.#run(call, random) }));
      this.#lines.push({ role: "results", results });
      if (kind === "typed in" && isNow) {
        const { pieces } = this.#deps;
        this.#lines.push({ role: "user", text: `And mind this, too. ${pieces.make(random, WORDS_BYTES)}` });
      }
    }
  }

  /** Leaves during the answer, and forgets its beginning. */
  async #abort(): Promise<TurnRecord> {
    const leaving = new AbortController();
    const response = await this.#post(true, { signal: leaving.signal });
    await readBytes(response, 1);
    leaving.abort();
    return { text: "", calls: [], end: "dropped" };
  }

  async #ask({ kind, isStreamed, random }: PlannedMessage, isNow: boolean): Promise<Answer> {
    if (kind === "cut and retried" && isNow) {
      const leaving = new AbortController();
      const first = await this.#post(true, { headers: fromElsewhere, signal: leaving.signal });
      await readBytes(first, random.between(1, 3_000));
      leaving.abort();
      return this.#whole(true, { ...fromElsewhere, "x-stainless-retry-count": "1" });
    }
    if (kind === "sent twice" && isNow) {
      const headers = { ...fromElsewhere, "idempotency-key": `key-${random.between(0, 1e9)}` };
      const [answer] = await Promise.all([this.#whole(isStreamed, headers), this.#whole(isStreamed, headers)]);
      return answer;
    }
    return this.#whole(isStreamed, {});
  }

  async #whole(isStreamed: boolean, headers: Record<string, string>): Promise<Answer> {
    const { dialect } = this.#deps;
    const response = await this.#post(isStreamed, { headers });
    const raw = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${raw.slice(0, 300)}`);
    const answer = isStreamed ? dialect.judgeStream(parseSse(raw)) : dialect.judgeReply(JSON.parse(raw));
    if (answer.ending === "error") throw new Error(`the stream ended in an error: ${raw.slice(-300)}`);
    return answer;
  }

  async #post(stream: boolean, { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal }) {
    const { dialect, url } = this.#deps;
    const body = dialect.body({ system: "You help with everyday work.", lines: this.#lines, tools: this.#tools });
    const response = await postJson(url() + dialect.path, { ...body, stream }, headers, signal);
    this.continuities.push(response.headers.get("x-curlew-continuity") ?? `status ${response.status}`);
    return response;
  }

  #run(call: Call, random: Random): string {
    return `#1 of ${nameCall(call)} ${this.#deps.pieces.make(random, RESULT_BYTES)}`;
  }

  #addTool(): void {
    this.#tools.push(tool(`extra-${this.#tools.length}`, { place: text }));
  }

  /** Continues from an earlier message, or on a branch that was left before. */
  #branch(random: Random): void {
    const other = this.#branches.pop();
    this.#branches.push(this.#lines);
    if (other !== undefined && random.chance(0.5)) {
      this.#lines = other;
      return;
    }
    const [, ...later] = this.#turnStarts();
    this.#lines = this.#lines.slice(0, later[random.between(0, later.length - 1)]);
  }

  /** Where user turns begin; typed-in words belong to the running turn. */
  #turnStarts(): number[] {
    const isStart = ({ role }: Line, index: number) => role === "user" && this.#lines[index - 1]?.role !== "results";
    return this.#lines.flatMap((line, index) => (isStart(line, index) ? [index] : []));
  }
}

function nameCall({ name, input }: Call): string {
  return `${name} ${JSON.stringify(JSON.parse(input))}`;
}

/** Reads at least this many bytes of the body, or all of it. */
async function readBytes(response: Response, count: number): Promise<void> {
  let read = 0;
  for await (const chunk of response.body ?? []) {
    read += chunk.byteLength;
    if (read >= count) return;
  }
}
