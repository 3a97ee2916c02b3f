import { defineConfig } from "vitest/config";

const measuresThisMachine = ["tests/load.test.ts"];
/** Many conversations at once: beside them, whatever waits for something short would wait too long. */
const keepsMachineBusy = ["tests/replay/golden.test.ts"];
/** Takes over a minute, so it is not in `npm test`: `npm run test:random`. */
const takesLong = ["tests/replay/random.test.ts"];
/** Starts hundreds of processes, so it is not in `npm test` either: `npm run test:slow`. */
const startsManyProcesses = [
  "src/backends/cli/**/*.test.ts",
  "simulator/cli/**/*.test.ts",
  "tests/cli-*.test.ts",
  "tests/doctor.test.ts",
  "tests/memory.test.ts",
  "tests/secrets.test.ts",
];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    // Most tests wait for a socket or a child: a core kept free for the parent would stand idle.
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        test: {
          name: "behaviour",
          include: [
            "src/**/*.test.ts",
            "simulator/**/*.test.ts",
            "testing/**/*.test.ts",
            "tests/**/*.test.ts",
            "checks/**/*.test.js",
            "bench/**/*.test.js",
          ],
          exclude: [...measuresThisMachine, ...keepsMachineBusy, ...takesLong, ...startsManyProcesses],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "replay", include: keepsMachineBusy, sequence: { groupOrder: 2 } },
      },
      { extends: true, test: { name: "random", include: takesLong } },
      { extends: true, test: { name: "slow", include: startsManyProcesses } },
      { extends: true, test: { name: "official-sdk", include: ["tests/official-sdk/*.slow.ts"] } },
      { extends: true, test: { name: "mcp", include: ["tests/mcp/*.slow.ts"] } },
      {
        extends: true,
        test: { name: "load", include: measuresThisMachine, fileParallelism: false, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
