import type { Machine } from "../../config/machine.js";
import type { Client } from "../../setup/client.js";
import { clients } from "../../setup/clients.js";
import { fileOf, isInstalled } from "../setup/client-location.js";
import { type Choice, chooseSeveral } from "../terminal/prompts.js";
import type { Decisions, Desk, Outcome } from "./desk.js";

interface Offer {
  readonly client: Client;
  readonly isInstalled: boolean;
}

/** Those that are here come first. A client whose settings are at no fixed path must be set up by hand. */
export function offersFor(machine: Machine): Offer[] {
  const offers = clients
    .filter((client) => fileOf(client, machine) !== undefined)
    .map((client) => ({ client, isInstalled: isInstalled(client, machine) }));
  return [...offers.filter((each) => each.isInstalled), ...offers.filter((each) => !each.isInstalled)];
}

/** Installed clients are chosen unless the user says otherwise; a repeated step begins with what was chosen before. */
export async function clientsStep(decisions: Decisions, { machine }: Desk, isRepeated: boolean): Promise<Outcome> {
  const offers = offersFor(machine);
  const choices: Choice<string>[] = offers.map(({ client: { name, title }, ...offer }) => ({
    value: name,
    label: offer.isInstalled ? `${title} (installed)` : title,
  }));
  const initial = isRepeated
    ? decisions.clients.map(({ name }) => name)
    : offers.filter((each) => each.isInstalled).map(({ client }) => client.name);
  const names = await chooseSeveral("Which clients should use Curlew? None skips this step", choices, initial);
  const chosen = offers.map(({ client }) => client).filter(({ name }) => names.includes(name));
  return { decisions: { ...decisions, clients: chosen, ready: [] }, next: chosen.length === 0 ? "start" : "model" };
}
