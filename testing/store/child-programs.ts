import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Store } from "../../packages/gateway/store/lineage-store.js";
import { openEmbeddedStore, openStore } from "../../packages/gateway/store/lmdb/embedded.js";
import { type SampleBlob, sampleBlob, sampleLineage } from "../samples/sample-state.js";

/** Programs that tests run in their own processes, to be killed, to run out of disk space, or to compete with each other. */

interface NumberedRow {
  readonly key: string;
  readonly lineage: string;
  readonly blobs: readonly SampleBlob[];
  readonly bytes: Buffer;
}

/** The same bytes for the same name and number. */
function numberedRow(name: string, number: number): NumberedRow {
  const blobs = [
    sampleBlob(`${name} small ${number} `.repeat(number % 50)),
    sampleBlob(`${name} ${number}`),
    sampleBlob(`${name} large ${number} `.repeat(300 * (number % 4))),
  ];
  const bytes = Buffer.concat([...blobs.map(({ id }) => id), Buffer.alloc(number % 6_000)]);
  return { key: `${name} ${number}`, lineage: sampleLineage(`${name} ${number % 5}`), blobs, bytes };
}

export function putNumbered(store: Store, name: string, number: number): void {
  const { key, lineage, blobs, bytes } = numberedRow(name, number);
  for (const { id, data } of blobs) store.putBlob("o", lineage, id, data);
  store.put("o", lineage, { names: [key], text: `${number}`, bytes });
}

/** Whether the row and all of its content are there. A partial one counts as neither present nor missing. */
export function stateOfNumbered(store: Store, name: string, number: number): "whole" | "half" | "missing" {
  const { key, lineage, blobs, bytes } = numberedRow(name, number);
  const found = store.get("o", key);
  if (found === undefined) return "missing";
  const isSame = bytes.equals(found.bytes) && found.text === `${number}`;
  return isSame && blobs.every(({ id }) => store.getBlob("o", lineage, id) !== undefined) ? "whole" : "half";
}

/** Prints the number of each row that is safely on disk. */
export async function writeForever(folder: string, from: string): Promise<void> {
  const { store } = await openEmbeddedStore({ folder, now: Date.now });
  for (let number = Number(from); ; number++) {
    putNumbered(store, "w", number);
    store.put("o", numberedRow("w", number).lineage, { names: ["latest"], text: `${number}` });
    if (number % 40 === 0) store.sweep(Date.now());
    if (number % 7 === 0) {
      await store.flush();
      say(number);
    } else if (number % 3 === 0) await turn();
  }
}

export async function writeSome(folder: string, name: string, count: string): Promise<void> {
  const { store, warnings } = await openEmbeddedStore({ folder, now: Date.now });
  for (let number = 0; number < Number(count); number++) {
    putNumbered(store, name, number);
    if (number % 5 === 0) await store.flush();
    if (number % 20 === 0) store.sweep(Date.now());
  }
  await store.close();
  say(warnings);
}

/** Runs without LMDB. */
export async function openAnyStore(folder: string): Promise<void> {
  const { store, warnings } = await openStore({ folder, now: Date.now });
  putNumbered(store, "m", 0);
  await store.flush();
  say({ warnings, state: stateOfNumbered(store, "m", 0) });
}

/** Writes until the disk is full. Prints how many were flushed, what was reported, and what can still be read. */
export async function writeUntilFull(folder: string): Promise<void> {
  process.on("SIGXFSZ", () => {}); // otherwise the size limit would end the process instead of failing the write
  const problems: Error[] = [];
  const { store } = await openEmbeddedStore({ folder, now: Date.now, onProblem: (problem) => problems.push(problem) });
  let failure: unknown;
  let number = 0;
  for (; failure === undefined && number < 10_000; number++) {
    putNumbered(store, "f", number);
    await store.flush().catch((thrown: unknown) => {
      failure = thrown;
    });
  }
  say({
    flushed: number - 1,
    failure: String(failure),
    problems: problems.length,
    first: stateOfNumbered(store, "f", 0),
    last: stateOfNumbered(store, "f", number - 1),
  });
  await store.close();
}

/** Opens one damaged copy after the other, and uses it in every way. */
export async function useDamaged(folder: string, file: string, seeds: string): Promise<void> {
  const sound = readFileSync(file);
  const outcomes: Record<string, number> = {};
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const copy = join(folder, `${seed}`);
    const data = join(copy, "data.mdb");
    await openEmbeddedStore({ folder: copy, now: Date.now }).then(({ store }) => store.close());
    writeFileSync(data, damage(sound, seed));
    const { store, warnings } = await openEmbeddedStore({ folder: copy, now: Date.now });
    for (let number = 0; number < 100; number++) stateOfNumbered(store, "d", number);
    for (let number = 0; number < 20; number++) putNumbered(store, "n", number);
    await store.flush();
    for (const nowMs of [Date.now(), Date.now() + 10 ** 10]) while (!store.sweep(nowMs).isDone);
    await store.flush();
    store.stats();
    await store.close();
    const outcome = warnings.length === 0 ? "opened" : "moved aside";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  say(outcomes);
}

/** Damages a file: cut, overwritten, with flipped bits, or with one page copied over another. */
function damage(sound: Buffer, seed: number): Buffer {
  let state = seed * 7_919;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const page = () => 4_096 * (2 + random(sound.length / 4_096 - 2));
  const bytes = Buffer.from(sound);
  switch (seed % 6) {
    case 0:
      return bytes.subarray(0, random(bytes.length));
    case 1:
      return bytes.fill(0, page(), bytes.length);
    case 2: {
      const at = page();
      return bytes.fill(sampleBlob(`${seed}`).id, at, at + 4_096);
    }
    case 3: {
      const from = page();
      bytes.copyWithin(page(), from, from + 4_096);
      return bytes;
    }
    default:
      // Half of the damage is where it hurts most: in the heads of pages.
      for (let count = 0; count < 12; count++) {
        const at = page() + (seed % 6 === 4 ? random(64) : random(4_096));
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at);
      }
      return bytes;
  }
}

function say(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
