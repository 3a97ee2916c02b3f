import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Conversations that are cut at every message, and random ones: dozens at a time, for minutes. */
const replay = ["tests/replay/*.test.ts"];
/** Hundreds of thousands of deltas, thousands of requests, and what they cost. */
const load = ["tests/load.test.ts", "tests/memory.test.ts"];
/** Starts hundreds of processes, or installed programs other than ours, or plays thousands of turns. */
const slow = [
  "packages/gateway/backends/cli/**/*.test.ts",
  "packages/meter/ledger/kills.test.ts",
  "packages/simulator/cli/**/*.test.ts",
  "tests/capture/commands.test.ts",
  "tests/capture/modes.test.ts",
  "tests/capture/server-changes.test.ts",
  "tests/cli-*.test.ts",
  "tests/day/*.test.ts",
  "tests/doctor.test.ts",
  "tests/doctor-live.test.ts",
  "tests/kills.test.ts",
  "tests/ledger/*.test.ts",
  "tests/open-questions.test.ts",
  "tests/random-turns/many-turns.test.ts",
  "tests/secrets.test.ts",
];

/** Asks V8 which code ran: what another file has left running must not be in its process. */
const alone = ["tests/architecture.test.ts"];

/** CONTRIBUTING.md says which command runs which project. */
export default defineConfig({
  resolve: { alias: { "@curlew": fileURLToPath(new URL("packages", import.meta.url)) } },
  test: {
    // These limits only end what hangs. No test may come near them, however busy the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 10, timeout: 60_000 }, requireAssertions: true },
    // The time zone is sent to the model, and so a part of every estimate of its input.
    env: { TZ: "Europe/Paris" },
    // Most tests wait for a socket or a child: a core kept free for the parent would stand idle.
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        test: {
          name: "behaviour",
          include: [
            "packages/**/*.test.ts",
            "laboratory/**/*.test.ts",
            "testing/**/*.test.ts",
            "tests/**/*.test.ts",
            "checks/**/*.test.js",
            "bench/**/*.test.js",
          ],
          exclude: [...replay, ...load, ...slow, ...alone],
          setupFiles: ["testing/programs/starts/count-starts.ts"],
          globalSetup: ["testing/programs/starts/limit-starts.ts", "testing/own-temporary-folder.ts"],
          // Our modules keep nothing but what is the same for all, so a process may run many files and loads each module once.
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone } },
      { extends: true, test: { name: "replay", include: replay, fileParallelism: false } },
      { extends: true, test: { name: "load", include: load, fileParallelism: false } },
      { extends: true, test: { name: "slow", include: slow } },
      { extends: true, test: { name: "official-sdk", include: ["tests/official-sdk/*.slow.ts"] } },
      { extends: true, test: { name: "monitoring", include: ["tests/monitoring/*.slow.ts"] } },
      { extends: true, test: { name: "mcp", include: ["tests/mcp/*.slow.ts"] } },
      { extends: true, test: { name: "agents-sdk", include: ["tests/agents-sdk/*.slow.ts"] } },
      { extends: true, test: { name: "langchain", include: ["tests/langchain/*.slow.ts"] } },
      // A terminal that is slow to answer is waited for; two at once would only make both slower.
      { extends: true, test: { name: "first-run", include: ["tests/first-run/*.slow.ts"], fileParallelism: false } },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["tests/browser/*.slow.ts"],
          globalSetup: ["tests/browser/setup.ts"],
        },
      },
    ],
  },
});
