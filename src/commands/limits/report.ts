import { ledgerFolders } from "../../app/prepare/own-files.js";
import { StartError } from "../../app/prepare/start-error.js";
import { withGateway } from "../../app/with-gateway.js";
import { commandCalls } from "../../backends/cursor/signed-calls.js";
import type { Settings } from "../../config/settings.js";
import { readKeys, type StoredKey } from "../../keys/index.js";
import { openLedgerReader } from "../../ledger/index.js";
import { readPlan } from "../../plan/index.js";
import { costOf, createPrices } from "../../prices/index.js";
import { type Limits, limitsInUse, type PlanUse } from "../../spend/index.js";
import { GatewayError } from "../../turn/error.js";
import { startSpinner } from "../terminal/spinner.js";
import type { LimitsReport } from "./describe.js";

interface LimitsFiles {
  readonly path: string;
  readonly keysPath: string;
  readonly limits: Limits;
}

/** Every limit beside what is used of it now. Cursor is asked only if a limit is a share of the plan. */
export async function reportLimits(settings: Settings, { path, keysPath, limits }: LimitsFiles): Promise<LimitsReport> {
  const problems: string[] = [];
  const onProblem = (problem: unknown) => problems.push(problem instanceof Error ? problem.message : String(problem));
  const prices = createPrices(settings.prices);
  const plan = limits.plan === undefined ? undefined : await planOf(settings, onProblem);
  const { folder, formerFolder } = ledgerFolders(settings);
  const reader = await openLedgerReader(folder, { formerFolder, onProblem });
  try {
    const used = limitsInUse({
      reader,
      limits,
      keys: keysAt(keysPath, onProblem),
      costOf: (model, tokens) => costOf(tokens, model, prices),
      plan,
      nowMs: Date.now(),
    });
    return { file: path, limits: used, allowed: limits.allowed ?? {}, problems };
  } finally {
    await reader.close();
  }
}

function keysAt(path: string, onProblem: (problem: unknown) => void): readonly StoredKey[] {
  try {
    return readKeys(path) ?? [];
  } catch (problem) {
    onProblem(problem);
    return [];
  }
}

async function planOf(settings: Settings, onProblem: (problem: unknown) => void): Promise<PlanUse | undefined> {
  const stopSpinner = startSpinner("asking Cursor", process.stderr);
  try {
    return await withGateway(settings, ({ tokens, upstream, network }) =>
      readPlan(commandCalls({ tokens, network, ...upstream })),
    );
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) && !(thrown instanceof StartError)) throw thrown;
    onProblem(new Error(`The plan is not known: ${thrown.message.replaceAll("\n", " ")}`));
    return undefined;
  } finally {
    stopSpinner();
  }
}
