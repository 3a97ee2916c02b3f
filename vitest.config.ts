import { defineConfig } from "vitest/config";

const measuresThisMachine = ["tests/load.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: "behaviour",
          include: ["src/**/*.test.ts", "simulator/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: measuresThisMachine,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "load", include: measuresThisMachine, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
