import type { ClientsAnswer, PageClient } from "../../src/page/contract.js";

/** The clients in the groups of `first`: one that has been seen since stays where it is, so that nothing moves under the pointer. */
export function groupClients(clients: readonly PageClient[], first = clients) {
  const byName = new Map(clients.map((client) => [client.name, client]));
  const nowOf = (some: readonly PageClient[]) => some.flatMap(({ name }) => byName.get(name) ?? []);
  const unseen = first.filter(({ lastSeenMs }) => lastSeenMs === null);
  const seen = first.filter(({ lastSeenMs }) => lastSeenMs !== null);
  return {
    /** The last seen first. */
    seen: nowOf(seen.toSorted((a, b) => (b.lastSeenMs ?? 0) - (a.lastSeenMs ?? 0))),
    tested: nowOf(unseen.filter(({ isProven }) => isProven)),
    untested: nowOf(unseen.filter(({ isProven }) => !isProven)),
  };
}

/** Those of whom something was heard, by what people call them. */
function heardFrom({ clients, others }: ClientsAnswer) {
  return [
    ...clients.flatMap(({ title, lastSeenMs }) => (lastSeenMs === null ? [] : { name: title, atMs: lastSeenMs })),
    ...others.map(({ name, lastSeenMs }) => ({ name, atMs: lastSeenMs })),
  ];
}

/** What people call those that the second answer knows and the first did not. */
export function newcomers(before: ClientsAnswer, after: ClientsAnswer): readonly string[] {
  const known = new Set(heardFrom(before).map(({ name }) => name));
  return heardFrom(after).flatMap(({ name }) => (known.has(name) ? [] : [name]));
}

/** Who was heard from last; undefined if nobody ever was. */
export function lastHeard(answer: ClientsAnswer) {
  return heardFrom(answer).toSorted((a, b) => b.atMs - a.atMs)[0];
}

/** Notes that are commands or values to enter, which the notes of a client indent, stay together and apart from sentences. */
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
