import { delimiter } from "node:path";
import { animatedSvg } from "../../testing/terminal/recording/animated-svg.js";
import { Film } from "../../testing/terminal/recording/film.js";
import { installClient } from "../clients/install.js";
import { openDesk } from "./desk.js";
import { walkedClients, walkFirstRun } from "./walk.js";

const size = { columns: 100, rows: 30 };
/** So that the answer can be looked at before all begins again. */
const REST_MS = 3_000;

/** The guided first run to an answer in OpenCode, as the picture of the README shows it. */
export async function filmFirstRun(): Promise<{ readonly film: Film; readonly svg: string }> {
  const client = walkedClients[0];
  const [folder = ""] = (await installClient(client.name)).split(delimiter);
  const film = new Film(size.columns, [
    // What belongs to this one machine has the look of any other.
    [/\/\S*\/curlew-machine-\w+\/home/g, () => "/home/you"],
    [/(?<=http:\/\/127\.0\.0\.1:)\d+(?=\/loginDeepControl)/g, () => "32125"],
    [/(?<=http:\/\/127\.0\.0\.1:)\d+(?!\d*\/loginDeepControl)/g, () => "32124"],
  ]);
  const desk = await openDesk({ programs: [folder], size, film });
  try {
    await desk.person.sees("$");
    await walkFirstRun(desk, client);
  } finally {
    await desk.close();
  }
  film.rest(REST_MS);
  const svg = animatedSvg(film.frames, {
    ...size,
    title: "The first run of Curlew",
    description:
      "In a terminal, curlew signs in to Cursor in the browser, sets up OpenCode with the models of the account, starts the gateway and " +
      "gets a first answer. In a second terminal, OpenCode answers a question with a model of the Cursor plan.",
  });
  return { film, svg };
}
