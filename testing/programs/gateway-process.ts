import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Constants } from "../../packages/cli/config/constants.js";

export interface GatewayProcess {
  readonly url: string;
  /** The memory in use, without garbage. The resident size grows in large steps; the heap and the buffers do not. */
  memory(): Promise<{ heldKiB: number }>;
  /** Ends it at once, like kill -9. */
  kill(): Promise<void>;
  /** Asks it to end, as a service manager does. */
  stop(): Promise<void>;
}

interface ProcessOptions {
  /** The folder of another checkout that has been built. */
  readonly checkout?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built command in its own process; with constants, what the command runs. */
export async function startGatewayProcess(
  simulatorUrl: string,
  home: string,
  constants?: Partial<Constants>,
  { checkout, env = {} }: ProcessOptions = {},
): Promise<GatewayProcess> {
  const node = ["--expose-gc", "--import", "./testing/programs/memory-on-signal.js"];
  const serve =
    constants === undefined
      ? ["dist/main.js", "serve", "--port", "0", "--json"]
      : ["dist/serve-with-constants.js", JSON.stringify(constants)];
  const child = spawn(process.execPath, [...node, ...serve], {
    stdio: ["ignore", "pipe", "inherit"],
    ...(checkout !== undefined && { cwd: checkout }),
    env: {
      PATH: process.env.PATH,
      CURLEW_HOME: home,
      CURLEW_LOG_LEVEL: "silent",
      CURSOR_BACKEND_URL: simulatorUrl,
      CURSOR_API_KEY: "crsr_process",
      ...env,
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
    async stop() {
      child.kill("SIGTERM");
      await gone;
    },
  };
}
