import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface GatewayProcess {
  readonly url: string;
  /** The memory in use, without garbage. The resident size grows in large steps; the heap and the buffers do not. */
  memory(): Promise<{ heldKiB: number }>;
  /** Ends it at once, like kill -9. */
  kill(): Promise<void>;
}

/** The built command in its own process. */
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
      const printed = once(lines, "line");
      child.kill("SIGUSR2");
      const [memory] = await printed;
      return JSON.parse(memory);
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
