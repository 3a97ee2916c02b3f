import { type Capture, type Difference, diffFields } from "../../capture/index.js";
import type { LoadedSettings } from "../../config/load.js";
import { openCapture } from "../capture/open-capture.js";
import { CommandFailure } from "../line/command-failure.js";
import { captureProbes } from "./live/captured-probes.js";

/** The names of the two sides of a comparison, as people read them. */
export interface Sides {
  readonly one: string;
  readonly other: string;
}

/**
 * Runs the probes against the built-in simulator and compares them with those of a capture.
 *
 * @throws {CommandFailure} The file is no capture of a doctor.
 */
export async function diffWithSimulator(file: string, loaded: LoadedSettings, model: string): Promise<Difference[]> {
  const capture = openDoctorCapture(file);
  const settings = { ...loaded.settings, backend: "simulator" as const, routes: {}, fallback: [] };
  return diffFields(capture, await captureProbes({ ...loaded, settings }, model));
}

function openDoctorCapture(file: string): Capture {
  const capture = openCapture("--diff", file);
  if (capture.header.by === "doctor") return capture;
  throw new CommandFailure(
    2,
    `--diff: ${file} is a capture of one conversation. Only those of curlew doctor --live --capture can be compared.`,
  );
}

/** `server > client  Run interaction_update.turn_ended, field 9 new: number in the capture, absent in the simulator` */
export function describeDifference({ from, call, message, field, one, other }: Difference, sides: Sides): string {
  const direction = from === "client" ? "client > server" : "server > client";
  const what = [`${call}${message === "" ? "" : ` ${message}`}`, ...fieldWords(field, message)].join(", ");
  return `${direction}  ${what}: ${one} in ${sides.one}, ${other} in ${sides.other}\n`;
}

/** The names of the message's cases are said already. */
function fieldWords(field: string, message: string): string[] {
  if (field === "") return [];
  const parts = field.split(" / ");
  const cases = message.split(".");
  const isSaid = (part: string, index: number) => part.split(" ")[1] === cases[index];
  const known = parts.findIndex((part, index) => !isSaid(part, index));
  const rest = parts.slice(known === -1 ? -1 : known).join(" / ");
  return [/^\d/.test(rest) ? `field ${rest}` : rest];
}
