import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import { type Machine, thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import type { Client } from "../../setup/client.js";
import { clients } from "../../setup/clients.js";
import { stateOf } from "./client-location.js";

interface Situation {
  readonly isSignedIn: boolean;
  /** The clients that are pointed at the gateway. */
  readonly clients: readonly Pick<Client, "title" | "command">[];
  readonly isRunning: boolean;
}

/** What to do next on the way to an answer in a client, as the last line of a command. */
export function nextStep({ isSignedIn, clients: ready, isRunning }: Situation): string {
  if (!isSignedIn) return "Next, sign in to Cursor: curlew login";
  if (ready.length === 0) return "Next, point a client at Curlew: curlew setup";
  if (!isRunning) return "Next, start the gateway: curlew";
  return `Everything is ready. ${howToUse(ready)}`;
}

/** `Open another terminal and run: claude, or opencode` */
export function howToUse(ready: Situation["clients"]): string {
  const commands = ready.flatMap(({ command }) => command ?? []);
  if (commands.length > 0) return `Open another terminal and run: ${commands.join(", or ")}`;
  const [first] = ready;
  return first === undefined ? 'Ask something: curlew ask "What is a curlew?"' : `Start ${first.title}.`;
}

/** The same for the present state of this machine, of which the caller may know a part already. */
export async function findNextStep(
  settings: Pick<Settings, "host" | "port">,
  known: { readonly isSignedIn: boolean; readonly isRunning?: boolean },
): Promise<string> {
  const ready = setUpClients(thisMachine(), localUrl(settings.host, settings.port));
  // Only the last two steps depend on it.
  const isAsked = known.isSignedIn && ready.length > 0;
  const isRunning = known.isRunning ?? (isAsked && (await isUp(settings)));
  return nextStep({ isSignedIn: known.isSignedIn, clients: ready, isRunning });
}

function setUpClients(machine: Machine, url: string): Client[] {
  return clients.filter((client) => stateOf(client, machine, { url }).isSetUp === true);
}

async function isUp({ host, port }: Pick<Settings, "host" | "port">): Promise<boolean> {
  return (await runningGateway(localUrl(host, port))) !== undefined;
}
