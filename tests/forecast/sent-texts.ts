import type { Simulator } from "../../simulator/index.js";

/** All texts that the newest runs were sent, those in binary content included. */
export function sentTexts(simulator: Simulator, runs: number): string {
  const requests = simulator.requests(50).filter(({ path }) => path.endsWith("/Run"));
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") {
      texts.push(value, Buffer.from(value, "base64").toString("latin1"));
    } else if (typeof value === "object" && value !== null) {
      for (const each of Object.values(value)) collect(each);
    }
  };
  for (const { messages } of requests.slice(-runs)) collect(messages);
  return texts.join("\n");
}
