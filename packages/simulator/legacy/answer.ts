import { directedFailure } from "../model/directed-failure.js";
import { type Directive, scanDirectives } from "../model/directives.js";
import { inWords } from "../model/words.js";
import { errorByName } from "../server/error-by-name.js";
import { badModel } from "../server/refusal.js";
import type { World } from "../server/world.js";
import type { ChatRequest, Dialect } from "./dialect.js";

/** The stream of one chat, as the simulated model uses it. */
export interface ChatChannel {
  send(message: Uint8Array): Promise<void>;
  /** The next message of the client; undefined when it will send no more. */
  next(): Promise<Uint8Array | undefined>;
  wait(ms: number): Promise<void>;
  drop(): void;
}

/**
 * Plays the model.
 * @throws ConnectError for failures, which belong into the end frame.
 */
export async function answerChat(
  request: ChatRequest,
  dialect: Dialect,
  channel: ChatChannel,
  world: World,
): Promise<void> {
  const asked = errorByName(request.model);
  if (asked !== undefined) throw asked;
  if (!world.isKnownModel(request.model)) throw badModel(request.model);

  const directives = scanDirectives(request.words).map(({ directive }) => directive);
  const script: Directive[] = directives.length > 0 ? directives : [{ type: "say", text: echo(request) }];
  for (const [index, directive] of script.entries()) {
    if (directive.type === "say") await speak(directive.text, dialect.text);
    else if (directive.type === "refuse") return speak(directive.text, dialect.text);
    else if (directive.type === "think") await speak(directive.text, dialect.thinking);
    else if (directive.type === "wait") await channel.wait(directive.ms);
    else if (directive.type === "fail") throw directedFailure(directive.code, directive.error);
    else if (directive.type === "drop") return channel.drop();
    else if (directive.type === "native") await demandTool(`call_${index}`, directive.kind, directive.args);
    else if (directive.type === "call") {
      const isDone = await callTool(`call_${index}`, directive.name, directive.args);
      if (!isDone) return;
    }
  }

  async function speak(text: string, write: (delta: string) => Uint8Array | undefined): Promise<void> {
    for (const delta of inWords(text)) {
      const message = write(delta);
      if (message === undefined) continue;
      await channel.send(message);
      if (world.options.deltaMs > 0) await channel.wait(world.options.deltaMs);
    }
  }

  /** Asks for a built-in tool by its number, offered or not, without waiting for a result. */
  async function demandTool(id: string, kind: string, args: Parameters<Dialect["call"]>[0]["args"]): Promise<void> {
    const message = dialect.call({ id, name: kind, args, tool: Number(kind) });
    if (message !== undefined) await channel.send(message);
  }

  /** Returns false when the client left the call open: it will come back with a new request. */
  async function callTool(id: string, name: string, args: Parameters<Dialect["call"]>[0]["args"]): Promise<boolean> {
    const message = request.tools.includes(name) ? dialect.call({ id, name, args }) : undefined;
    if (message === undefined) {
      await speak(`The tool ${name} was not offered to me.\n`, dialect.text);
      return true;
    }
    await channel.send(message);
    const result = await channel.next();
    if (result === undefined) return false;
    await speak(`Result of ${name}: ${dialect.readResult(result)}\n`, dialect.text);
    return true;
  }
}

function echo({ words, earlierWords, system }: ChatRequest): string {
  const parts = [`This is a simulated answer. Your last words were: ${words}`];
  if (earlierWords.length > 0) parts.push(`Before that you said: ${earlierWords.join(" / ")}`);
  if (system !== "") parts.push(`My system prompt: ${system}`);
  return parts.join("\n");
}
