import { makeKeysInSlices } from "../sessions/fingerprint.js";
import { KnownConversation, peekingStore } from "../sessions/known.js";
import { GatewayError } from "../turn/error.js";
import { isLong } from "../turn/slices.js";
import type { Turn } from "../turn/turn.js";
import type { Continuity } from "./continuity.js";
import { type Plan, planTurn } from "./plan.js";
import { acceptTurn, type ExaminedTurn, examine, mayTitleCheaply, type Who } from "./request.js";
import { tokensSentAgain } from "./sent-again.js";
import type { Services } from "./services.js";

/** What will happen to a turn that is sent now. */
export interface Forecast {
  readonly continuity: Continuity;
  /** The tokens of its conversation that the model had before and that are sent all the same; an estimate. */
  readonly tokensSentAgain: number;
  /** Whether the turn is refused until somebody confirms that. */
  readonly needsConfirmation: boolean;
}

/**
 * Plans a turn and stops there. Nothing is claimed, counted, marked as used or sent upstream.
 * @throws GatewayError as for the turn itself, when it cannot be accepted
 */
export async function forecast(asked: Turn, who: Who, services: Services): Promise<Forecast> {
  const accepted = acceptTurn(asked, services);
  const { format, messages } = accepted.turn;
  const check = format && (await services.formats.checkOf(format));
  if (isLong(messages)) await makeKeysInSlices(messages);
  const examined = examine(accepted, check, who, services);
  const { owner } = examined;
  const plan = plannedOnly(examined, services);
  const isDue = isAboveLimit(plan, services) && services.confirmations.isDue(owner, messages);
  return { continuity: plan.continuity, tokensSentAgain: tokensSentAgain(plan), needsConfirmation: isDue };
}

/**
 * Refuses a plan that sends much again, until its client has confirmed it. Called before anything is claimed.
 * @throws GatewayError `confirm_cold`
 */
export function refuseUnconfirmed(plan: Plan, { turn, owner }: ExaminedTurn, services: Services): void {
  if (!isAboveLimit(plan, services) || services.confirmations.confirm(owner, turn.messages)) return;
  const tokens = tokensSentAgain(plan).toLocaleString("en-US");
  const limit = services.settings.confirmCold.toLocaleString("en-US");
  throw new GatewayError(
    "confirm_cold",
    `This request would send about ${tokens} tokens of the conversation to Cursor again (${plan.continuity}), and the setting confirmCold allows ${limit} without asking. Nothing was sent. To go on all the same, send it once more after 2 seconds or later.`,
  );
}

function isAboveLimit(plan: Plan, { settings }: Services): boolean {
  return settings.confirmCold > 0 && tokensSentAgain(plan) > settings.confirmCold;
}

function plannedOnly({ turn, owner, waiting, backends, isTitle }: ExaminedTurn, services: Services): Plan {
  const name = waiting?.backend ?? backends.namesFor(turn.model)[0];
  if (name === undefined) throw new GatewayError("server_error", "There is no backend for this request.");
  const { backend } = backends.open(name);
  const whose = { owner, backend: name, takesNewSettings: backend.can.takesNewSettings === true };
  const known = new KnownConversation(turn, whose, peekingStore(services.store), services.lot, waiting);
  return planTurn(turn, known, mayTitleCheaply(isTitle, services, backend));
}
