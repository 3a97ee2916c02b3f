import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive } from "@curlew/gateway/system/is-alive.js";

/** A file untouched for this long counts as ownerless if its process cannot be checked. Owners touch theirs more often. */
export const UNTOUCHED_MS = 5 * 60_000;

/** The process that writes a file. */
export interface FileOwner {
  readonly pid: number;
  /** The machine and the namespace in which the process id is valid. */
  readonly place: string;
  /** Start time of the process, in units of its system; undefined where unknown. */
  readonly begun: string | undefined;
}

export function thisProcess(): FileOwner {
  return { pid: process.pid, place: thisPlace(), begun: beginOf(process.pid) };
}

/**
 * Whether the process that writes a file is alive. Locally, its id and start time decide, which detects a reused id. Elsewhere
 * (another container with the same folder, a system without start times) it counts as alive while it touches its file. A wrong
 * answer does no lasting harm: every read checks again.
 */
export function isOwnerAlive(head: FileOwner, untouchedMs: number, here: FileOwner = thisProcess()): boolean {
  const isTouched = Math.abs(untouchedMs) < UNTOUCHED_MS;
  if (head.place !== here.place) return isTouched;
  if (!isAlive(head.pid)) return false;
  const begun = head.pid === here.pid ? here.begun : beginOf(head.pid);
  return begun === undefined || head.begun === undefined ? isTouched : begun === head.begun;
}

/** Process ids are unique within a machine, and on Linux within a namespace: every container has a process 1. */
function thisPlace(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Start time of a process: on Linux, ticks since boot, together with the boot id. */
function beginOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program name, in parentheses, may contain anything; the fields after it contain no parentheses.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${ticks} ${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}`;
  } catch {
    return undefined;
  }
}
