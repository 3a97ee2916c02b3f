import type { Behaviour } from "../live-behaviour/behaviour.js";

/** What Cursor sometimes does, and what clients see of it in the tests. */
export function behavioursTable(behaviours: readonly Behaviour[]): string {
  const rows = behaviours.map(({ does, sureness = "reported", sources, curlew, seen, runs, ...played }) => [
    sentence(does),
    `${sureness}: ${sources}`,
    simulated(played),
    curlew,
    "finished" in seen ? "The whole answer" : failure(seen.failed),
    String(runs),
  ]);
  const head = ["What Cursor does", "How sure", "Simulator", "What Curlew does", "The client sees", "Runs"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function simulated({ modes = {}, directive }: Pick<Behaviour, "modes" | "directive">): string {
  const flags = Object.entries(modes).map(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? flag : `${flag} ${value}`;
  });
  return [...flags, ...(directive === undefined ? [] : [directive])].map((part) => `\`${part}\``).join(", ");
}

function failure({ status, code }: { status?: number; code: string }): string {
  return status === undefined ? `What was said so far, then \`${code}\`` : `\`${status} ${code}\``;
}
