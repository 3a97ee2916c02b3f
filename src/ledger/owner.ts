import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive } from "../is-alive.js";

/** A file that was not touched for this long has no owner, unless its process can be asked for. Owners touch theirs more often. */
export const UNTOUCHED_MS = 5 * 60_000;

/** Who writes a file. */
export interface FileOwner {
  readonly pid: number;
  /** The machine, and the part of it in which the process id is known. */
  readonly place: string;
  /** When the process began, as its system counts that; undefined where it cannot be asked. */
  readonly begun: string | undefined;
}

export function thisProcess(): FileOwner {
  return { pid: process.pid, place: thisPlace(), begun: beginOf(process.pid) };
}

/**
 * Whether the process that writes a file still lives. Where the process can be asked for, its id and its begin tell, and an id that
 * was given to another process does not deceive. Elsewhere (another container with the same folder, a system that does not say when
 * a process began) it lives as long as it touches its file. A wrong answer does no harm that lasts: it is asked again with every reading.
 */
export function isOwnerAlive(head: FileOwner, untouchedMs: number, here: FileOwner = thisProcess()): boolean {
  const isTouched = Math.abs(untouchedMs) < UNTOUCHED_MS;
  if (head.place !== here.place) return isTouched;
  if (!isAlive(head.pid)) return false;
  const begun = head.pid === here.pid ? here.begun : beginOf(head.pid);
  return begun === undefined || head.begun === undefined ? isTouched : begun === head.begun;
}

/** Process ids count within a machine, and on Linux within a namespace: every container has a process 1. */
function thisPlace(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** When a process began: on Linux in ticks since the machine started, together with which start that was. */
function beginOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in parentheses, may hold anything. What follows has no parentheses.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${ticks} ${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}`;
  } catch {
    return undefined;
  }
}
