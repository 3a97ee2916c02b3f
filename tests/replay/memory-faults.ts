import type { Habits, ToolUser } from "./tool-user.js";

/** Asks the model what was said: without a directive, it repeats the ends of all user messages. */
export async function memoryFaults(client: ToolUser, lastMark: string, habits?: Habits): Promise<string[]> {
  const marks = (words: string) => words.match(/\(conversation \d+, message [\d.]+\)/g) ?? [];
  const before = client.messages.flatMap(({ role, content }) => (role === "user" ? marks(String(content)) : []));
  if (!(await client.say(`What did I say? ${lastMark}`, habits))) return [];
  const said = marks(client.turns.at(-1)?.text ?? "");
  return said.join() === [lastMark, ...before].join() ? [] : [`the model remembers ${said} instead of ${before}`];
}
