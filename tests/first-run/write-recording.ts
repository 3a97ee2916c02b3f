import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openDeskWith } from "./desk-with.js";
import { newFilm, pictureFile, pictureOf, pictureSize } from "./picture.js";
import { walkedClients, walkFirstRun } from "./walk.js";

const film = newFilm();
const [client] = walkedClients;
const desk = await openDeskWith(client.name, { film, size: pictureSize });
try {
  await walkFirstRun(desk, client);
} finally {
  await desk.close();
}
writeFileSync(pictureFile, pictureOf(film));
process.stdout.write(`${fileURLToPath(pictureFile)}\n`);
