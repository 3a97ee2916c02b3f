import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface GatewayProcess {
  readonly url: string;
  /** Garbage aside. The resident size goes up in large steps; what is held in the heap and in buffers does not. */
  memory(): Promise<{ heldKiB: number }>;
  /** At once, as by kill -9. */
  kill(): Promise<void>;
}

/** The built command in a process of its own. */
export async function startGatewayProcess(
  simulatorUrl: string,
  home: string,
  flags: readonly string[] = [],
): Promise<GatewayProcess> {
  const node = ["--expose-gc", "--import", "./testing/programs/memory-on-signal.js"];
  const serve = ["dist/main.js", "serve", "--port", "0", "--json", "--log-level", "silent", ...flags];
  const child = spawn(process.execPath, [...node, ...serve], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      CURLEW_HOME: home,
      CURSOR_BACKEND_URL: simulatorUrl,
      CURSOR_API_KEY: "crsr_process",
    },
  });
  const gone = once(child, "exit");
  const lines = createInterface(child.stdout);
  const [line] = await once(lines, "line");
  return {
    url: JSON.parse(line).url,
    async memory() {
      const told = once(lines, "line");
      child.kill("SIGUSR2");
      const [facts] = await told;
      return JSON.parse(facts);
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
