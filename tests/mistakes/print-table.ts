import { mistakes } from "./mistakes.js";
import { Stage } from "./stage.js";

const MOST_CHARACTERS = 300;

const stage = await Stage.open();
try {
  process.stdout.write("| # | mistake | status | answer now |\n|---|---|---|---|\n");
  for (const { number, mistake, make } of mistakes.toSorted((a, b) => a.number - b.number)) {
    const { status, text } = await make(stage);
    const words = text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, "<br>");
    const shown = words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS)}…` : words;
    process.stdout.write(`| ${number} | ${mistake} | ${status} | ${shown} |\n`);
  }
} finally {
  await stage.close();
}
