import type { Simulator } from "../../packages/simulator/index.js";

type Requests = ReturnType<Simulator["requests"]>;

export function newestRuns(simulator: Simulator, count: number): Requests {
  return simulator
    .requests(50)
    .filter(({ path }) => path.endsWith("/Run"))
    .slice(-count);
}

/** All texts sent in these runs, including those in binary content. */
export function textsIn(runs: Requests): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") {
      texts.push(value, Buffer.from(value, "base64").toString("latin1"));
    } else if (typeof value === "object" && value !== null) {
      for (const each of Object.values(value)) collect(each);
    }
  };
  for (const { messages } of runs) collect(messages);
  return texts.join("\n");
}

/** Whether a run continues from a checkpoint: only states from Cursor have token counts. */
export function isResumed({ messages }: Requests[number]): boolean {
  return JSON.stringify(messages[0] ?? {}).includes('"tokenDetails"');
}
