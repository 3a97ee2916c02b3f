import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Simulator } from "../../packages/simulator/index.js";
import { type StrictStart, startSimulator } from "../simulator/strict-simulator.js";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.js";

type ProcessArguments = Parameters<typeof startGatewayProcess> extends [string, string, ...infer Rest] ? Rest : never;

/** A gateway in its own process, which can be ended and started again, on a simulated Cursor and in a home of its own. */
export class ProcessSystem {
  readonly home = mkdtempSync(join(tmpdir(), "curlew-process-"));
  readonly simulator: Simulator;
  readonly #process: ProcessArguments;
  #gateway: GatewayProcess | undefined;

  private constructor(simulator: Simulator, process: ProcessArguments) {
    this.simulator = simulator;
    this.#process = process;
  }

  static async start(simulated: StrictStart = {}, ...process: ProcessArguments): Promise<ProcessSystem> {
    const system = new ProcessSystem(await startSimulator(simulated), process);
    await system.startAgain();
    return system;
  }

  get gateway(): GatewayProcess {
    if (this.#gateway === undefined) throw new Error("The gateway is not started yet.");
    return this.#gateway;
  }

  /** Starts a gateway in the place of one that has ended. */
  async startAgain(): Promise<void> {
    this.#gateway = await startGatewayProcess(this.simulator.url, this.home, ...this.#process);
  }

  async close(): Promise<void> {
    await this.gateway.kill();
    await this.simulator.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
