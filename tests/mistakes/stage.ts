import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainFile } from "../../testing/programs/main-file.js";
import { type StartedCurlew, startCurlew } from "../../testing/programs/start-curlew.js";
import { type StartedSimulator, startSimulator } from "../../testing/programs/start-simulator.js";

/** The status of a response or the exit code of a command, with its text. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

export const GATEWAY_KEY = "a-key-of-the-gateway";

/** The exit code of a gateway that had to be killed. */
const STARTED = -1;

type Variables = Readonly<Record<string, string>>;

/** A user's machine with the program, on a simulated Cursor. */
export class Stage {
  readonly simulator: StartedSimulator;
  readonly #folder: string;
  readonly #gateways = new Map<string, Promise<StartedCurlew & { readonly url: string }>>();

  private constructor(simulator: StartedSimulator) {
    this.simulator = simulator;
    this.#folder = mkdtempSync(join(tmpdir(), "curlew-mistakes-"));
  }

  static async open(): Promise<Stage> {
    return new Stage(await startSimulator(mainFile, "h2"));
  }

  /** A gateway with these variables, shared by equal ones. */
  gateway(more: Variables = {}): Promise<StartedCurlew & { readonly url: string }> {
    const name = JSON.stringify(more);
    const known = this.#gateways.get(name) ?? this.#start(more);
    this.#gateways.set(name, known);
    return known;
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], more: Variables = {}): Promise<Answer> {
    const env = this.#env(more);
    const child = spawn(process.execPath, [mainFile, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        // A gateway that starts despite the mistake would run forever.
        if (text.includes("listens on")) child.kill();
      });
    }
    const [code]: (number | null)[] = await once(child, "close");
    return { status: code ?? STARTED, text: text.trim() };
  }

  /** Writes a file. Returns its path. */
  file(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    return path;
  }

  async close(): Promise<void> {
    for (const gateway of this.#gateways.values()) await (await gateway).stop();
    await this.simulator.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(more: Variables): Promise<StartedCurlew & { readonly url: string }> {
    const env = { ...this.#env(more), CURLEW_HOME: mkdtempSync(join(this.#folder, "home-")) };
    const started = await startCurlew(mainFile, ["serve", "--port", "0", "--json"], env);
    const { url }: { url: string } = JSON.parse(started.firstLine);
    return { ...started, url };
  }

  #env(more: Variables): Variables {
    const { PATH = "" } = process.env;
    const cursor = { CURSOR_BACKEND_URL: this.simulator.url, CURSOR_API_KEY: "crsr_mistakes" };
    return { PATH, HOME: this.#folder, TZ: "Europe/Paris", ...cursor, ...more };
  }
}
