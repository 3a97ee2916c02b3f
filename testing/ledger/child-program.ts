import { writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../packages/gateway/system/clock.js";
import { publish } from "../../packages/gateway/turn/events/channels.js";
import { openLedger } from "../../packages/meter/ledger/index.js";
import { playRequest, sampleRecord, sampleUsage } from "./sample-requests.js";

/** The program's clock is this much faster, so that its upkeep comes within milliseconds. */
const SPEED = 50;
const OPEN_AT_ONCE = 5;

const clock = {
  ...systemClock,
  after: (ms: number, callback: () => void) => systemClock.after(ms / SPEED, callback),
};

function open(home: string, problems: unknown[]) {
  return openLedger({
    gateway: "gateway",
    folder: join(home, "ledger"),
    clock,
    keptDays: 90,
    keepsTexts: false,
    onProblem: (problem) => problems.push(String(problem)),
  });
}

/**
 * Plays requests until it is killed, and prints the state of each: received, ended, or abandoned after a pause. A line is printed
 * only once the ledger has recorded it.
 */
export async function playForever(home: string, name: string): Promise<void> {
  open(home, []);
  const say = (what: string) => writeSync(1, `${what}\n`);
  const waiting: ReturnType<typeof sampleRecord>[] = [];
  for (let number = 0; ; number++) {
    const id = `${name}.${number}`;
    const pauses = number % 7 === 3;
    const record = sampleRecord(id, Date.now(), { thread: name, ...(pauses && { turnUsage: undefined }) });
    publish("curlew:request:received", record);
    say(`received ${id}`);
    waiting.push(record);
    if (waiting.length === OPEN_AT_ONCE) {
      const next = waiting.splice(number % OPEN_AT_ONCE, 1)[0] ?? record;
      if (next.turnUsage === undefined) publish("curlew:request:paused", next);
      publish("curlew:request:finished", next);
      say(`ended ${next.requestId}`);
      if (next.turnUsage === undefined) {
        const usage = { ...sampleUsage, estimated: true };
        const { requestId } = next;
        publish("curlew:run:abandoned", { gateway: "gateway", request: next, requestId, reason: "lost", usage });
        say(`abandoned ${requestId}`);
      }
    }
    await setImmediate();
  }
}

/** Plays some requests, and prints how many the ledger has and which problems there were. */
export async function playSome(home: string, name: string, count: string): Promise<void> {
  const problems: unknown[] = [];
  const ledger = open(home, problems);
  for (let number = 0; number < Number(count); number++) {
    playRequest(sampleRecord(`${name}.${number}`, Date.now(), { client: name }));
    await setImmediate();
  }
  // Reading may find the file of another process that has only just begun.
  const told = [...problems];
  const held = ledger.reader.entries({ client: name, limit: 2 * Number(count) }).length;
  await ledger.close();
  writeSync(1, `${JSON.stringify({ held, problems: told })}\n`);
}
