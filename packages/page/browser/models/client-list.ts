import type { ClientsAnswer, PageClient } from "../../access/contract.js";

/** Groups the clients as they were in `first`: one seen since then stays in place, so that nothing moves under the pointer. */
export function groupClients(clients: readonly PageClient[], first = clients) {
  const byName = new Map(clients.map((client) => [client.name, client]));
  const nowOf = (some: readonly PageClient[]) => some.flatMap(({ name }) => byName.get(name) ?? []);
  const unseen = first.filter(({ lastSeenMs }) => lastSeenMs === null);
  const seen = first.filter(({ lastSeenMs }) => lastSeenMs !== null);
  return {
    /** Last seen first. */
    seen: nowOf(seen.toSorted((a, b) => (b.lastSeenMs ?? 0) - (a.lastSeenMs ?? 0))),
    tested: nowOf(unseen.filter(({ isProven }) => isProven)),
    untested: nowOf(unseen.filter(({ isProven }) => !isProven)),
  };
}

/** The clients that were seen, by title. */
function heardFrom({ clients, others }: ClientsAnswer) {
  return [
    ...clients.flatMap(({ title, lastSeenMs }) => (lastSeenMs === null ? [] : { name: title, atMs: lastSeenMs })),
    ...others.map(({ name, lastSeenMs }) => ({ name, atMs: lastSeenMs })),
  ];
}

/** Titles of the clients seen in the second answer but not in the first. */
export function newcomers(before: ClientsAnswer, after: ClientsAnswer): readonly string[] {
  const known = new Set(heardFrom(before).map(({ name }) => name));
  return heardFrom(after).flatMap(({ name }) => (known.has(name) ? [] : [name]));
}

/** The client seen last; undefined if none was. */
export function lastHeard(answer: ClientsAnswer) {
  return heardFrom(answer).toSorted((a, b) => b.atMs - a.atMs)[0];
}

/** Groups consecutive commands and values to enter, which are indented in the notes of a client, apart from sentences. */
export function noteBlocks(notes: readonly string[]) {
  const blocks: { isVerbatim: boolean; text: string }[] = [];
  for (const note of notes) {
    const isVerbatim = /^( {2}|export )/.test(note);
    const last = blocks.at(-1);
    const text = note.trim();
    if (isVerbatim && last?.isVerbatim) last.text += `\n${text}`;
    else blocks.push({ isVerbatim, text });
  }
  return blocks;
}
