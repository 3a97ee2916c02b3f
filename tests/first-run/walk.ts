import type { Person } from "../../testing/terminal/person.js";
import type { Key } from "../../testing/terminal/terminal.js";
import type { Desk } from "./desk.js";

export interface WalkedClient {
  /** Its name for `curlew setup`, and its command. */
  readonly name: "opencode" | "claude";
  readonly title: string;
  /** Its settings file, below the home. */
  readonly file: string;
  /** Its name in the ledger. */
  readonly agent: string;
  /** The shell command that asks it. */
  readonly question: string;
}

const asked = `"How much is 17 * 23?"`;
/** The simulated model can multiply. */
const rightAnswer = /^391$/m;

export const walkedClients: readonly [WalkedClient, WalkedClient] = [
  {
    name: "opencode",
    title: "OpenCode",
    file: ".config/opencode/opencode.json",
    agent: "opencode",
    question: `opencode run ${asked}`,
  },
  {
    name: "claude",
    title: "Claude Code",
    file: ".claude/settings.json",
    agent: "claude",
    question: `claude -p ${asked}`,
  },
];

/** Height of the second terminal, enough for a question and its answer. */
const CLIENT_ROWS = 9;

/**
 * Plays the guided first run from an empty home to an answer in the client, with the first choice at every question. Returns
 * how often Enter, an arrow or the space bar was pressed.
 */
export async function walkFirstRun(desk: Desk, client: WalkedClient): Promise<number> {
  const { person, url } = desk;
  person.begins("One command");
  await person.sees("$");
  await person.types("curlew");
  await person.presses("Enter");
  person.begins("1. Sign in with your Cursor account");
  await person.sees("Curlew: the models of your Cursor plan", "◆  Sign in to Cursor", "● In the browser", "○ Skip");
  await person.presses("Enter");
  person.begins("2. Choose your clients");
  await person.sees(
    "Signed in as owner@simulated.example.",
    "Which clients should use Curlew?",
    `◼ ${client.title} (installed)`,
  );
  await person.presses("Enter");
  person.begins("3. Choose a model of your plan");
  await person.sees("Which model should they use?", "● auto (Cursor chooses)", "○ composer-2.5");
  await person.presses("Enter");
  person.begins("4. See what is written, and undo it whenever you like");
  await person.sees(client.file, `${url}`, "Write this file?", "● Write (each can be undone)");
  await person.presses("Enter");
  person.begins("5. Start the gateway");
  await person.sees(
    `${client.title} is set up.`,
    `To undo it: curlew setup ${client.name} --undo`,
    "Start the gateway, and ask a first question?",
    "● Start it here",
  );
  await person.presses("Enter");
  await person.sees(
    `listens on ${url}`,
    `Open another terminal and run: ${client.name}`,
    "Ctrl-C stops the gateway. Requests appear here.",
  );
  const second = await desk.another(CLIENT_ROWS);
  second.begins(`6. Ask in ${client.title}`);
  await second.types(client.question);
  await second.presses("Enter");
  await second.sees(rightAnswer, /\$$/);
  return countOf(person) + countOf(second);
}

const counted: ReadonlySet<Key> = new Set(["Enter", "Up", "Down", "Left", "Right", "Space"]);

function countOf({ terminal }: Person): number {
  return terminal.presses.filter((key) => counted.has(key)).length;
}
