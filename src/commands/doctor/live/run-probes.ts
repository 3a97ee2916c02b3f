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

/** After one of these errors, every further turn would fail too. */
const hopeless: ReadonlySet<ErrorKind> = new Set(["authentication", "permission", "quota", "rate-limit", "not-found"]);

const oldChat = { name: "old chat", claim: "The chat calls from before the agent protocol are retired" };

const TURNS_NEEDED = probes.reduce((sum, { turns }) => sum + turns, 0);

/** Says what the probes cost, and asks for consent.
 *
 * @throws {CommandFailure} Consent is needed, and there is no terminal to ask on.
 */
export async function mayRunProbes(
  { backend }: Pick<ComposedGateway, "backend">,
  { model, isGranted }: { model: string; isGranted: boolean },
): Promise<boolean> {
  if (backend === "simulator") return true; // it costs nothing
  process.stderr.write(
    `The probes take ${TURNS_NEEDED} turns of the model ${model} through your Cursor account, each with a prompt of a few words ` +
      "and a short answer. They count against your plan like any other turn.\n",
  );
  if (isGranted) return true;
  if (!process.stdin.isTTY) throw new CommandFailure(2, "No terminal to confirm on. Run: curlew doctor --live --yes");
  return askConsent("Run them?");
}

/** One claim about Cursor, and whether it is true. */
export interface ProbeResult {
  readonly name: string;
  readonly claim: string;
  readonly status: Verdict["status"] | "skipped";
  readonly note: string;
  readonly answer?: string;
}

/** Yields each result as soon as it is known. The counters of unknown messages come last. */
export async function* runProbes(
  composed: ComposedGateway,
  model: string,
  lab = new Lab(composed.gateway, model),
): AsyncGenerator<ProbeResult> {
  const { health } = composed;
  let isHopeless = false;
  for (const probe of probes) {
    let judged = 0;
    const left = () => probe.claims.slice(judged);
    try {
      if (!isHopeless) {
        for await (const verdict of probe.run(lab)) {
          const [claim] = left();
          judged++;
          if (claim !== undefined) yield { ...claim, ...verdict };
        }
      }
    } catch (thrown) {
      isHopeless = hopeless.has(GatewayError.from(thrown).kind);
      const [claim] = left();
      judged++;
      if (claim !== undefined) yield { ...claim, ...failed(thrown) };
    }
    for (const claim of left())
      yield { ...claim, status: "skipped", note: "Not tried, because an earlier probe failed." };
  }
  yield { ...oldChat, ...(await probeOldChat(composed).catch(failed)) };
  yield judgeDrift(health().drift);
}

function failed(thrown: unknown): Verdict {
  const error = GatewayError.from(thrown);
  return broken(`${error.code}: ${reasonOf(error)}`);
}

function judgeDrift(counts: Readonly<Record<string, number>>): ProbeResult {
  const claim = { name: "drift", claim: "Cursor sends nothing that this build does not know" };
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  if (seen.length === 0) return { ...claim, status: "ok", note: "No unknown messages came." };
  const list = seen.map(([kind, count]) => `${count} of kind ${kind}`).join(", ");
  return { ...claim, status: "warn", note: `Unknown to this build: ${list}. Please report it.` };
}
