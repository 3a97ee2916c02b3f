// Shared by the suites that start the built program: their steps, and the program.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The steps of a suite. Each is reported as it ends, and one that fails does not keep the others from running. */
export class Steps {
  #ended = new Map();

  /** Returns the result of `act`, or undefined if it throws. Reports a text result, or the failure with the end of `log`. */
  async attempt(label, act, log = () => "") {
    const startedMs = Date.now();
    let failure;
    let value;
    try {
      value = await act();
    } catch (thrown) {
      failure = `${thrown instanceof Error ? thrown.message : thrown}\n${log().slice(-2_000)}`.trim();
    }
    this.#ended.set(label, { failure, value });
    const seconds = `${((Date.now() - startedMs) / 1_000).toFixed(1)} s`;
    const details = typeof value === "string" ? `${value}, ${seconds}` : seconds;
    console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${label}  (${details})`);
    if (failure !== undefined) console.log(`      ${failure.replaceAll("\n", "\n      ")}`);
    return value;
  }

  valueOf(label) {
    return this.#ended.get(label)?.value;
  }

  /** `wordOf` is the cell for the result of a step that went well. */
  printTable(corner, rows, columns, labelOf, wordOf = () => "ok") {
    const width = Math.max(...rows.map((row) => row.length), corner.length);
    const cell = (row, column) => {
      const step = this.#ended.get(labelOf(row, column));
      if (step === undefined) return "-";
      return step.failure === undefined ? wordOf(step.value) : "FAIL";
    };
    const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => cell(row, column).length)));
    const print = (first, cells) => {
      const padded = cells.map((text, index) => text.padEnd(widths[index]));
      console.log([first.padEnd(width), ...padded].join("  ").trimEnd());
    };
    console.log("");
    print(corner, columns);
    for (const row of rows) {
      const cells = columns.map((column) => cell(row, column));
      print(row, cells);
    }
  }

  /** Ends the process with 0 if all went well, and if there were as many steps as this. */
  report(least = 1) {
    const failed = [...this.#ended.values()].filter(({ failure }) => failure !== undefined).length;
    console.log(`\n${this.#ended.size - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && this.#ended.size >= least ? 0 : 1;
  }
}

/** The program: `given`, or as it is built here. */
export function builtMain(given) {
  const main = given ?? fileURLToPath(new URL("../../dist/main.js", import.meta.url));
  if (existsSync(main)) return main;
  console.error(`${main} is missing. Run \`npm run build\` first.`);
  process.exit(1);
}
