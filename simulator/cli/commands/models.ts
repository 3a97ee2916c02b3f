import { requireLogin } from "../checks.js";
import type { Parsed } from "../flags.js";
import { listModels } from "../models.js";
import type { World } from "../world.js";

const TIP = "Tip: use --model <id> (or /model <id> in interactive mode) to switch.";

/** `models` and `--list-models` */
export function models(world: World, parsed: Parsed): void {
  if (!world.scenario.modelsForAll) requireLogin(world, parsed);
  const { ansi } = world.scenario;
  const paint = (code: number, text: string) => (ansi ? `\u001b[${code}m${text}\u001b[0m` : text);
  const rows = listModels(world.scenario.models).map(({ id, name }, index) => {
    return `${paint(36, id)} - ${name}${index === 0 ? " (default)" : ""}\n`;
  });
  world.out(`${paint(2, "Available models")}\n\n${rows.join("")}\n${TIP}\n`);
}
