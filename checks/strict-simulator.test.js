import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** The simulator's own tests cover both modes; third-party clients, and examples for their users, get the default one. */
const lenient = [
  "packages/simulator/",
  "tests/peers/",
  "tests/official-sdk/run.js",
  "testing/simulator/strict-simulator.ts",
];

const root = new URL("../", import.meta.url);
const files = ["packages", "testing", "tests"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.(test|cases|slow)\.ts$/.test(name) || /^test.*\.[jt]s$/.test(name))
    .filter((name) => !lenient.some((start) => name.startsWith(start))),
);

it("Curlew's own suites run with the strict simulator", () => {
  expect(files.length).toBeGreaterThan(300);
  const faults = files.filter((file) => {
    const text = readFileSync(new URL(file, root), "utf8");
    return (
      /import \{[^}]*\bstartSimulator\b[^}]*\} from "[^"]*\/simulator\/(index|simulator)\.js"/.test(text) ||
      /\bisStrict: false\b/.test(text)
    );
  });
  expect(faults).toEqual([]);
});
