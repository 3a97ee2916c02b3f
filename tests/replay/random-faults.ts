import type { SaidBlock, TurnScript } from "./random-turn.js";
import type { TurnRecord } from "./tool-user.js";

type PlannedWords = Pick<TurnScript, "said" | "maybeSaid" | "calls" | "mayBeSplit">;

/**
 * The faults of a turn, or of its beginning if it did not end. In a disturbed conversation, the model may have only the
 * client's transcript.
 */
export function turnFaults(turn: TurnRecord, plan: PlannedWords, isCalm: boolean): string[] {
  const lines = turn.text.replace(/#\d+/g, "#").split("\n");
  if (turn.end !== "stop") return partFaults(turn, plan, lines);
  if (isCalm || !plan.mayBeSplit) return wholeFaults(turn, plan, lines);
  const words = { ...plan, said: plan.said.filter((block) => "words" in block) };
  const spoken = lines.filter((line) => !isResult(line));
  return [...wholeFaults(turn, words, spoken), ...partFaults(turn, plan, lines)];
}

function wholeFaults({ calls }: TurnRecord, plan: PlannedWords, lines: string[]): string[] {
  const faults: string[] = [];
  const said = inAnyOrder(lines.filter((line) => line !== ""));
  const wanted = inAnyOrder(plan.said.flatMap(linesOf));
  if (said.join("\n") !== wanted.join("\n"))
    faults.push(`it says\n    ${said.join("\n    ")}\n   for\n    ${wanted.join("\n    ")}`);
  if (sorted(calls) !== sorted(plan.calls)) faults.push(`it calls ${sorted(calls)} for ${sorted(plan.calls)}`);
  return faults;
}

function partFaults({ calls }: TurnRecord, plan: PlannedWords, lines: string[]): string[] {
  const faults: string[] = [];
  const left = [...plan.said.flatMap(linesOf), ...plan.maybeSaid];
  for (const line of lines.slice(0, -1)) {
    const at = left.indexOf(line);
    if (at === -1) faults.push(`it says "${line}"`);
    else left.splice(at, 1);
  }
  const rest = lines.at(-1) ?? "";
  if (rest !== "" && !left.some((line) => line.startsWith(rest))) faults.push(`it ends in "${rest}"`);
  const uncalled = [...plan.calls];
  for (const call of calls) {
    const at = uncalled.indexOf(call);
    if (at === -1) faults.push(`it calls ${call}`);
    else uncalled.splice(at, 1);
  }
  return faults;
}

function linesOf(block: SaidBlock): readonly string[] {
  return "words" in block ? [block.words] : block.results;
}

const isResult = (line: string) => line.includes("# of ");

/** Adjacent results, sorted. */
function inAnyOrder(lines: readonly string[]): string[] {
  const groups: string[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last !== undefined && isResult(line) && isResult(last[0] ?? "")) last.push(line);
    else groups.push([line]);
  }
  return groups.flatMap((group) => group.toSorted());
}

const sorted = (calls: readonly string[]) => calls.toSorted().join(", ");
