import { joinText } from "../turn/blocks.js";
import type { TurnEvents } from "../turn/event.js";
import { wordsAlone } from "./reply.js";
import type { Task } from "./request.js";

/** A call that hangs must not keep a client from its title: a turn gives one, too. */
const NAMING_MS = 10_000;

/** The name of a conversation, by the cheap call; undefined where a turn has to stand in for it. */
export async function cheapTitle({ services, request, backend }: Task): Promise<TurnEvents | undefined> {
  const { turn, context } = request;
  const words = turn.messages.map((message) => (message.role === "user" ? joinText(message.content) : ""));
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(NAMING_MS)]);
    const title = await backend.nameConversation?.(words.join("\n\n"), signal);
    return title ? wordsAlone(title) : undefined;
  } catch (problem) {
    if (!context.signal.aborted) services.onProblem(problem);
    return undefined;
  }
}
