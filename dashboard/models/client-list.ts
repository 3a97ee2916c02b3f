import type { ClientsAnswer, PageClient } from "../../src/page/contract.js";

export interface ClientGroups {
  /** The last seen first. */
  readonly seen: readonly PageClient[];
  /** Tested and not seen. */
  readonly tested: readonly PageClient[];
  readonly untested: readonly PageClient[];
}

/**
 * The clients in groups. `before` has the names as they stand on the page: a client that is seen for the first time stays where it
 * is, so that nothing moves under the pointer.
 */
export function groupClients(clients: readonly PageClient[], before?: GroupNames): ClientGroups {
  if (before !== undefined) {
    const find = (names: readonly string[]) =>
      names.flatMap((name) => clients.find((client) => client.name === name) ?? []);
    return { seen: find(before.seen), tested: find(before.tested), untested: find(before.untested) };
  }
  const unseen = clients.filter(({ lastSeenMs }) => lastSeenMs === null);
  return {
    seen: clients
      .filter(({ lastSeenMs }) => lastSeenMs !== null)
      .toSorted((a, b) => (b.lastSeenMs ?? 0) - (a.lastSeenMs ?? 0)),
    tested: unseen.filter(({ isProven }) => isProven),
    untested: unseen.filter(({ isProven }) => !isProven),
  };
}

export type GroupNames = Readonly<Record<keyof ClientGroups, readonly string[]>>;

export function namesOf({ seen, tested, untested }: ClientGroups): GroupNames {
  const names = (clients: readonly PageClient[]) => clients.map(({ name }) => name);
  return { seen: names(seen), tested: names(tested), untested: names(untested) };
}

/** What people call those that the second answer knows and the first did not. */
export function newcomers(before: ClientsAnswer, after: ClientsAnswer): readonly string[] {
  const known = new Set([
    ...before.clients.filter(({ lastSeenMs }) => lastSeenMs !== null).map(({ title }) => title),
    ...before.others.map(({ name }) => name),
  ]);
  const seen = [
    ...after.clients.filter(({ lastSeenMs }) => lastSeenMs !== null).map(({ title }) => title),
    ...after.others.map(({ name }) => name),
  ];
  return seen.filter((name) => !known.has(name));
}

/** Who was heard from last; undefined if nobody ever was. */
export function lastHeard({ clients, others }: ClientsAnswer): { name: string; atMs: number } | undefined {
  const all = [
    ...clients.flatMap(({ title, lastSeenMs }) => (lastSeenMs === null ? [] : { name: title, atMs: lastSeenMs })),
    ...others.map(({ name, lastSeenMs }) => ({ name, atMs: lastSeenMs })),
  ];
  return all.toSorted((a, b) => b.atMs - a.atMs)[0];
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
