import { codeOf } from "@curlew/gateway/turn/reason-of.js";
import type { Settings } from "../../config/settings.js";
import { readRun } from "../../control/running-gateways.js";
import { runFolder } from "../prepare/own-files.js";
import { StartError } from "../prepare/start-error.js";
import { runningGateway } from "../running-gateway.js";
import { localUrl } from "./listen.js";

/** A gateway that has just been started may still be loading. */
const ANSWER_MS = 5_000;

/** The error if a gateway already has the port; undefined if the port failed for another reason. */
export async function alreadyRunning(
  thrown: unknown,
  { host, port, places }: Pick<Settings, "host" | "port" | "places">,
): Promise<StartError | undefined> {
  if (!(thrown instanceof StartError) || codeOf(thrown.cause) !== "EADDRINUSE") return undefined;
  const url = localUrl(host, port);
  const health = await runningGateway(url, ANSWER_MS);
  if (health === undefined) return undefined;
  const run = readRun(runFolder({ places }), port);
  const since = run && new Date(run.started).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const which = run === undefined ? `version ${health.version}` : `process ${run.pid}, since ${since}`;
  return new StartError(
    "address_unavailable",
    `Curlew already runs at ${url} (${which}). Clients can use it. To start another one, choose a port with --port, or --port 0 for any free one.`,
    { cause: thrown, settings: ["port"] },
  );
}
