import { connect } from "node:net";
import { isAlive } from "./is-alive.js";
import { type RunFile, readRunFile, runFilesIn } from "./run-file.js";

/** A gateway that is busy accepts a connection all the same; the system does that for it. */
const CONNECT_MS = 2_000;

/** The gateways that run and have written so into this folder. Nothing in it changes. */
export async function liveGateways(folder: string): Promise<RunFile[]> {
  const runs = runFilesIn(folder).flatMap((path) => readRunFile(path) ?? []);
  const found = await Promise.all(
    // A process id alone may have been given to another program since.
    runs.map(async (run) => (isAlive(run.pid) && (await isListening(run.url)) ? [run] : [])),
  );
  return found.flat();
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), timeout: CONNECT_MS });
    const settle = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => settle(true));
    socket.once("timeout", () => settle(false));
    socket.once("error", () => settle(false));
  });
}
