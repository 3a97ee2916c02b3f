// Measures what a delta costs in long parallel replies, at a model's pace and all at once.
import { send, textOf } from "../client.js";
import { dialects } from "../dialects.js";
import { perUnit, startMeter } from "../meter.js";
import { shortRequest } from "../requests.js";
import { spokenText } from "../upstream/spec.js";

const all = Object.values(dialects);

export const pacedScenarios = all.map((dialect) => ({
  name: `paced-${dialect.name}`,
  title: `Paced, ${dialect.name}: 16 streams, a delta each millisecond`,
  dialect,
  streams: 16,
  spec: { deltas: 400, chunk: 1, pause: 1 },
}));

const burst = all.map((dialect) => ({
  name: `burst-${dialect.name}`,
  title: `Burst, ${dialect.name}: 4 streams, 64 deltas in each chunk`,
  dialect,
  streams: 4,
  spec: { deltas: 20_000, chunk: 64, pause: 0 },
}));

/** The same text without the times that a live server is said to send beside it. */
const plain = burst.slice(0, 1).map(({ name, title, spec, ...rest }) => ({
  ...rest,
  name: `${name}-plain`,
  title: `${title}, plain`,
  spec: { ...spec, plain: 1 },
}));

export const burstScenarios = [...burst, ...plain];

/** Measures from when every stream has begun until the first is about to end, because starts and ends are not part of a delta. */
export async function measurePaced(target, upstream, { dialect, streams, spec }) {
  const ahead = 10;
  const frames = new Array(streams).fill(0);
  const allSpeak = waitFor(() => frames.every((count) => count >= ahead));
  const oneEnds = waitFor(() => frames.some((count) => count >= spec.deltas - ahead));
  const replies = frames.map((_, index) =>
    send(target, dialect, shortRequest(dialect, index, { spec }), (count) => {
      frames[index] += count;
      allSpeak.check();
      oneEnds.check();
    }),
  );
  await Promise.race([allSpeak.met, Promise.all(replies)]);
  const meter = await startMeter(target, upstream);
  await Promise.race([oneEnds.met, Promise.all(replies)]);
  const used = await meter.stop();
  for (const reply of await Promise.all(replies)) checkText(dialect, reply, spec);
  return perUnit(used, used.playedDeltas); // a gateway may join deltas that come together, so frames cannot be counted
}

/** Measures whole replies. The frames at their beginning and end are negligible next to so many deltas. */
export async function measureBurst(target, upstream, { dialect, streams, spec }, times = 1) {
  const meter = await startMeter(target, upstream);
  const replies = [];
  for (let time = 0; time < times; time++) {
    const bodies = Array.from({ length: streams }, (_, index) => shortRequest(dialect, index, { spec }));
    replies.push(...(await Promise.all(bodies.map((body) => send(target, dialect, body)))));
  }
  const used = await meter.stop();
  for (const reply of replies) checkText(dialect, reply, spec);
  return perUnit(used, spec.deltas * streams * times);
}

function checkText(dialect, { raw }, { deltas }) {
  const text = textOf(dialect, raw);
  if (text !== spokenText(deltas)) throw new Error(`${dialect.name}: ${text.length} characters of a reply came`);
}

function waitFor(isMet) {
  let resolve;
  const met = new Promise((done) => {
    resolve = done;
  });
  return { met, check: () => isMet() && resolve() };
}
