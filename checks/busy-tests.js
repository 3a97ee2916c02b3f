// Finds tests that depend on how busy the machine is: repeats `npm test` while other processes keep every core busy.
//   node checks/busy-tests.js [--runs 5] [--load 1] [--minutes 30] [FILE...]
// --load is how many processes compute on each core; after --minutes no further run begins.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: flags, positionals: files } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    load: { type: "string", default: "1" },
    minutes: { type: "string", default: "30" },
  },
  allowPositionals: true,
});
const [runs, load, minutes] = [flags.runs, flags.load, flags.minutes].map(Number);
const root = fileURLToPath(new URL("..", import.meta.url));
const startedMs = performance.now();
const secondsSince = (ms) => Math.round((performance.now() - ms) / 1_000);

const burners = Array.from({ length: availableParallelism() * load }, () =>
  spawn(process.execPath, ["--eval", "for (;;) Math.random();"], { stdio: "ignore" }),
);
const endBurners = () => {
  for (const burner of burners) burner.kill("SIGKILL");
};
process.once("exit", endBurners); // also where this script is ended
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const outcomes = [];
while (outcomes.length < runs && secondsSince(startedMs) < minutes * 60) {
  const runMs = performance.now();
  const { isGreen, output } = await runTests();
  if (!isGreen) console.log(output);
  outcomes.push(isGreen);
  console.log(`run ${outcomes.length}: ${isGreen ? "green" : "RED"} after ${secondsSince(runMs)} s`);
}
endBurners(); // they would keep this process alive
const green = outcomes.filter(Boolean).length;
console.log(`${green} of ${runs} runs were green, with ${burners.length} other processes computing`);
process.exitCode = green === runs ? 0 : 1;

async function runTests() {
  const child = spawn("npm", ["test", "--", "--reporter=dot", ...files], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.push(text));
  const [code] = await once(child, "close");
  return { isGreen: code === 0, output: output.join("") };
}
