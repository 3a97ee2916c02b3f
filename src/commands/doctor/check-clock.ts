import type { Network } from "../../network/index.js";
import { type Finding, fail, ok, skipped, warn } from "./finding.js";

/** Tokens are renewed five minutes before their end, so with a clock error of that size every token looks expired. */
const HARMFUL_MS = 300_000;
const NOTABLE_MS = 30_000;
const TIMEOUT_MS = 10_000;

const commands: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "sudo sntp -sS time.apple.com",
  win32: "w32tm /resync",
};

/** How far the server's clock is ahead of ours, by the Date header of any answer; undefined if there is none. */
export async function clockAheadMs(
  url: string,
  { now, network }: { now: () => number; network: Pick<Network, "fetch"> },
): Promise<number | undefined> {
  const sentMs = now();
  const response = await network.fetch(new URL("/", url), {
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  const serverMs = Date.parse(response.headers.get("date") ?? "");
  // The header counts whole seconds, so on average it is half a second behind.
  return Number.isNaN(serverMs) ? undefined : serverMs + 500 - (sentMs + now()) / 2;
}

export function judgeClock(aheadMs: number | undefined, platform: NodeJS.Platform): Finding {
  if (aheadMs === undefined) return skipped("clock", "Cursor's answer has no date.");
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (seconds * 1_000 < NOTABLE_MS) return ok("clock", `Within ${Math.max(1, seconds)} s of Cursor's.`);
  const why = `This machine's clock is ${seconds} s ${aheadMs > 0 ? "behind" : "ahead of"} Cursor's.`;
  const fix = commands[platform] ?? "sudo timedatectl set-ntp true";
  return seconds * 1_000 < HARMFUL_MS ? warn("clock", why, fix) : fail("clock", why, fix);
}
