import { animatedSvg } from "../../testing/terminal/recording/animated-svg.js";
import { Film } from "../../testing/terminal/recording/film.js";

export const pictureFile = new URL("../../docs/pictures/first-run.svg", import.meta.url);

export const pictureSize = { columns: 100, rows: 30 };

/** A film with neutral paths and values in place of those of this machine. */
export function newFilm(): Film {
  return new Film(pictureSize.columns, [
    [/\/\S*\/curlew-machine-\w+\/home/g, () => "/home/you"],
    [/(?<=http:\/\/127\.0\.0\.1:)\d+(?=\/loginDeepControl)/g, () => "32125"],
    [/(?<=http:\/\/127\.0\.0\.1:)\d+(?!\d*\/loginDeepControl)/g, () => "32124"],
  ]);
}

/** Shows the answer before the loop restarts. */
const REST_MS = 3_000;

export function pictureOf(film: Film): string {
  film.rest(REST_MS);
  return animatedSvg(film.frames, {
    ...pictureSize,
    title: "The first run of Curlew",
    description:
      "In a terminal, curlew signs in to Cursor in the browser, sets up OpenCode with the models of the account, starts the gateway and " +
      "gets a first answer. In a second terminal, OpenCode answers a question with a model of the Cursor plan.",
  });
}
