import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/**
 * On a busy machine everything takes longer, so a test waits for what happens, with `expect.poll` or `untilAtRest`, and measures
 * work by counts, bytes or `cpuMsOf`. These would make it depend on the machine.
 */
const measures = [
  [/\bperformance\.now\(/, "measures how long something took"],
  [/\bvi\.wait(For|Until)\(/, "waits for a second at most: use expect.poll"],
  [/expect\s*\.poll\([^;]*\btimeout:/, "has a limit of its own for its patience"],
  [/\bretry: \d/, "is tried again when it fails"],
  [/setTimeout\(\s*resolve\b|setTimeout as sleep/, "sleeps"],
];

/** In the second command, where time itself is what is played. */
const allowed = new Set([
  "tests/replay/golden.test.ts",
  "tests/replay/random.test.ts",
  "tests/kills.test.ts",
  "tests/ledger/turns.test.ts",
]);

const root = new URL("../", import.meta.url);
const files = ["packages", "laboratory", "testing", "tests"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.(test|cases|slow)\.ts$/.test(name)),
);

it("no test depends on how busy the machine is", () => {
  expect(files.length).toBeGreaterThan(300);
  const faults = files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), "utf8");
    return measures.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${file} ${what}`);
  });
  expect(faults.filter((fault) => !allowed.has(fault.split(" ")[0]))).toEqual([]);
});
