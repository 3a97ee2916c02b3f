import type { ComposedGateway } from "../../../app/compose.js";
import { type ErrorKind, GatewayError } from "../../../turn/error.js";
import { CommandFailure } from "../../line/command-failure.js";
import { askConsent } from "../../terminal/prompts.js";
import { reasonOf } from "../finding.js";
import { probeOldChat } from "./old-chat.js";
import { broken, Lab, type Probe, type Verdict } from "./probe.js";
import { conversation, picture, systemPrompt, thinking } from "./talk-probes.js";
import { cancelled, parallelCalls, parkedCall } from "./tool-probes.js";

const probes: readonly Probe[] = [conversation, thinking, parkedCall, parallelCalls, picture, systemPrompt, cancelled];

/** After these every further turn would only fail too. */
const hopeless: ReadonlySet<ErrorKind> = new Set(["authentication", "permission", "quota", "rate-limit", "not-found"]);

const oldChat = { name: "old chat", fact: "The chat calls from before the agent protocol are retired" };

const turnsNeeded = probes.reduce((sum, { turns }) => sum + turns, 0);

/** Says what the probes cost before anything is spent, and asks. */
export async function mayRunProbes(
  { backend }: Pick<ComposedGateway, "backend">,
  { model, isGranted }: { model: string; isGranted: boolean },
): Promise<boolean> {
  if (backend === "simulator") return true; // costs nothing
  process.stderr.write(
    `The probes take ${turnsNeeded} turns of the model ${model} through your Cursor account, each with a prompt of a few words ` +
      "and a short answer. They count against your plan like any other turn.\n",
  );
  if (isGranted) return true;
  if (!process.stdin.isTTY)
    throw new CommandFailure(2, "Nobody can be asked here. To go ahead: curlew doctor --live --yes");
  return askConsent("Run them?");
}

/** A fact of the protocol, and whether it holds. */
export interface CheckedFact {
  readonly name: string;
  readonly fact: string;
  readonly status: Verdict["status"] | "skipped";
  readonly note: string;
  readonly answer?: string;
}

/** One fact after the other, as it is known; the counters of what was not understood come last. */
export async function* runProbes(composed: ComposedGateway, model: string): AsyncGenerator<CheckedFact> {
  const { gateway, health } = composed;
  const lab = new Lab(gateway, model);
  let isHopeless = false;
  for (const probe of probes) {
    let judged = 0;
    const left = () => probe.facts.slice(judged);
    try {
      if (!isHopeless) {
        for await (const verdict of probe.run(lab)) {
          const [fact] = left();
          judged++;
          if (fact !== undefined) yield { ...fact, ...verdict };
        }
      }
    } catch (thrown) {
      isHopeless = hopeless.has(GatewayError.from(thrown).kind);
      const [fact] = left();
      judged++;
      if (fact !== undefined) yield { ...fact, ...failed(thrown) };
    }
    for (const fact of left()) yield { ...fact, status: "skipped", note: "Not tried after what failed before." };
  }
  yield { ...oldChat, ...(await probeOldChat(composed).catch(failed)) };
  yield judgeDrift(health().drift);
}

function failed(thrown: unknown): Verdict {
  const error = GatewayError.from(thrown);
  return broken(`${error.code}: ${reasonOf(error)}`);
}

function judgeDrift(counts: Readonly<Record<string, number>>): CheckedFact {
  const fact = { name: "drift", fact: "Cursor says nothing that this build does not know" };
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  if (seen.length === 0) return { ...fact, status: "ok", note: "Nothing unknown came." };
  const list = seen.map(([kind, count]) => `${count} of kind ${kind}`).join(", ");
  return { ...fact, status: "warn", note: `Unknown to this build: ${list}. Please report it.` };
}
