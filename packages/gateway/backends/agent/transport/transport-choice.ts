import type { Clock } from "../../../system/clock.js";
import type { GatewayError } from "../../../turn/error.js";
import { Http2Refused } from "../../cursor/refusal.js";
import type { ServerConfig } from "./server-config.js";

export type Transport = "h2" | "h1";
/** The values of the setting. `auto` follows Cursor's advice and avoids HTTP/2 where a network blocks it. */
export type TransportSetting = "auto" | Transport;

/** The transport of the newest run and the reason for it, for `/health`. */
export interface TransportState {
  readonly name: Transport;
  readonly reason: "set" | "advised" | "default" | "http2-refused";
}

/** How long HTTP/2 is avoided after it failed: networks change when a laptop moves, not within minutes. */
const AVOID_MS = 10 * 60_000;

interface ChoiceDeps {
  readonly setting: TransportSetting;
  readonly clock: Pick<Clock, "now">;
  readonly log: { warn(fields: object, message: string): void };
}

/** Chooses the HTTP version for runs. All accounts share one choice, because they share the network. */
export class TransportChoice {
  readonly #deps: ChoiceDeps;
  #avoidUntilMs = Number.NEGATIVE_INFINITY;
  #hasWarned = false;
  state: TransportState;

  constructor(deps: ChoiceDeps) {
    this.#deps = deps;
    const { setting } = deps;
    this.state = setting === "auto" ? { name: "h2", reason: "default" } : { name: setting, reason: "set" };
  }

  pick(http2: ServerConfig["http2"], backendUrl: string): Transport {
    this.state = this.#decide(http2, backendUrl);
    return this.state.name;
  }

  /** Returns whether a failed run is worth an immediate attempt over HTTP/1.1; from then on all runs use it. */
  goesAround(error: GatewayError): boolean {
    if (this.#deps.setting !== "auto" || !(error instanceof Http2Refused)) return false;
    this.#avoidUntilMs = this.#deps.clock.now() + AVOID_MS;
    if (!this.#hasWarned) this.#deps.log.warn({ reason: error.message }, "HTTP/2 is blocked here, using HTTP/1.1");
    this.#hasWarned = true;
    return true;
  }

  #decide(http2: ServerConfig["http2"], backendUrl: string): TransportState {
    const { setting, clock } = this.#deps;
    if (setting !== "auto") return { name: setting, reason: "set" };
    if (clock.now() < this.#avoidUntilMs) return { name: "h1", reason: "http2-refused" };
    if (http2 === "advised") return { name: "h2", reason: "advised" };
    if (http2 === "advised against") return { name: "h1", reason: "advised" };
    // Cursor's own SDK does the same (docs/protocol/wire.md, hosts): without TLS nothing shows that the peer speaks HTTP/2.
    return { name: backendUrl.startsWith("https:") ? "h2" : "h1", reason: "default" };
  }
}
