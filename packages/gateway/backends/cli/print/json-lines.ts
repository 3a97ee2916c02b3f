import { StringDecoder } from "node:string_decoder";
import { endOfJson, isObject, parseJson } from "../../../turn/read-json.js";
import { TextTail } from "../../cursor/text-tail.js";
import { stripAnsi } from "../listings.js";

const MAX_NOISE = 8 * 1024;
/** The prompt comes back as one line, so lines get as long as requests. A longer line is an error. */
const MAX_LINE = 256 * 1024 * 1024;

/** Reads the objects in a stream of lines, wherever the stream is cut. Anything else counts as noise. */
export class JsonLines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #noise = new TextTail(MAX_NOISE);
  /** Pieces of the current line. They are joined once, or a long line would be copied with each piece. */
  #pieces: string[] = [];
  #length = 0;

  /** The end of the noise, which may explain why there are no events. */
  get noise(): string {
    return this.#noise.text;
  }

  /** Returns the objects that this chunk completes. @throws RangeError when a line never ends */
  push(chunk: Buffer): object[] {
    const lines = this.#decoder.write(chunk).split("\n");
    const last = lines.pop() ?? "";
    const found = lines.flatMap((line) => this.#read(this.#complete(line)));
    this.#length += last.length;
    if (this.#length > MAX_LINE) throw new RangeError("the CLI wrote a line without end");
    if (last !== "") this.#pieces.push(last);
    return found;
  }

  end(): object[] {
    return this.#read(this.#complete(this.#decoder.end()));
  }

  #complete(end: string): string {
    const line = this.#pieces.length === 0 ? end : this.#pieces.join("") + end;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }

  #read(raw: string): object[] {
    const line = stripAnsi(raw).trim();
    if (line === "") return [];
    const whole = parseObject(line);
    if (whole !== undefined) return [whole];
    const parts = splitObjects(line).map((part) => ({ part, object: parseObject(part) }));
    for (const { part, object } of parts) if (object === undefined) this.#noise.push(`${part}\n`);
    return parts.flatMap(({ object }) => object ?? []);
  }
}

function parseObject(text: string): object | undefined {
  const parsed = text.startsWith("{") ? parseJson(text) : undefined;
  return isObject(parsed) ? parsed : undefined;
}

/** Splits `{...} {...}` into two objects, and the text between and around them into further parts. */
function splitObjects(line: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let start = line.indexOf("{"); start !== -1; start = line.indexOf("{", from)) {
    const end = endOfJson(line, start);
    if (end === -1) break;
    parts.push(line.slice(from, start), line.slice(start, end));
    from = end;
  }
  parts.push(line.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
