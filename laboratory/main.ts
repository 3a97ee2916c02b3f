import { parseArgs } from "node:util";
import { type Answer, answersIn } from "../packages/cli/commands/doctor/live/open-questions.js";
import { describeAnswers } from "../packages/cli/commands/doctor/report.js";
import { loadSettings } from "../packages/cli/config/load.js";
import { createColors } from "../packages/cli/terminal/print.js";
import { shownOn } from "../packages/gateway/system/shown-on.js";
import { NotACapture, readCapture } from "../packages/simulator/index.js";
import { type Difference, describeDifference, diffFields, type Sides } from "./field-diff.js";
import { captureOfficial, captureSimulated, Refusal } from "./probes.js";

const USAGE = `Usage:
  npm run protocol:diff CAPTURE          compare it with the same turns on the built-in simulator
  npm run protocol:diff CAPTURE OTHER    compare two captures
  npm run protocol:answers CAPTURE       answer the open questions about Cursor by it
  npm run protocol:official              compare what Cursor's installed SDK sends with what Curlew sends
Options, after --:
  --model ID    the model of the turns, instead of auto
  --json        print JSON
`;

interface Comparison {
  readonly sides: Sides;
  readonly differences: readonly Difference[];
  /** Whether a difference is a failure: the SDK and Curlew need not send the same. */
  readonly mustBeSame: boolean;
}

interface Options {
  readonly model: string;
  readonly json: boolean;
}

/** Exits as `diff` does: 0 for the same, 1 for differences, 2 for trouble. */
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { model: { type: "string", default: "auto" }, json: { type: "boolean", default: false } },
  });
  const [task, file, ...more] = positionals;
  if (task === "answers" && file !== undefined && more.length === 0) printAnswers(answersIn(readCapture(file)), values);
  else process.exitCode = print(await compare(positionals, values), values);
} catch (thrown) {
  const isExpected = thrown instanceof Refusal || thrown instanceof NotACapture;
  process.stderr.write(`${thrown instanceof Error && (isExpected ? thrown.message : thrown.stack)}\n`);
  process.exitCode = 2;
}

async function compare([task, file, second, ...more]: readonly string[], { model }: Options): Promise<Comparison> {
  if (task === "official" && file === undefined) {
    const { settings } = loadSettings();
    const [official, ours] = await captureOfficial(settings, model);
    const differences = diffFields(official, ours).filter(({ from }) => from === "client");
    return { sides: { one: "Cursor's SDK", other: "Curlew" }, differences, mustBeSame: false };
  }
  if (task !== "diff" || file === undefined || more.length > 0) throw new Refusal(USAGE);
  const capture = readCapture(file);
  if (second !== undefined) {
    const differences = diffFields(capture, readCapture(second));
    return { sides: { one: file, other: second }, differences, mustBeSame: true };
  }
  if (capture.header.by !== "doctor")
    throw new Refusal(`${file} is a capture of one conversation. Name another one to compare it with.`);
  const differences = diffFields(capture, await captureSimulated(loadSettings(), model));
  return { sides: { one: "the capture", other: "the simulator" }, differences, mustBeSame: true };
}

function printAnswers(answers: readonly Answer[], { json }: Options): void {
  const shown = shownOn(process.stdout, answers);
  if (json) process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  else process.stdout.write(describeAnswers(shown, createColors(false)));
}

function print({ sides, differences, mustBeSame }: Comparison, { json }: Options): number {
  const shown = shownOn(process.stdout, differences);
  if (json) process.stdout.write(`${JSON.stringify({ ...sides, differences: shown }, null, 2)}\n`);
  else if (shown.length === 0) process.stdout.write(`The fields of ${sides.one} and of ${sides.other} are the same.\n`);
  else for (const difference of shown) process.stdout.write(describeDifference(difference, sides));
  return mustBeSame && differences.length > 0 ? 1 : 0;
}
