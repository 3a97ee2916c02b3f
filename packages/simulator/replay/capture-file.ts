import { readFileSync, statSync } from "node:fs";
import { type Capture, type CapturedCall, Line, MAX_CAPTURE_BYTES } from "@curlew/wire/messages/capture-format.js";

/** A file that is not a capture; the message says why. */
export class NotACapture extends Error {
  override readonly name = "NotACapture";
}

/** @throws {NotACapture} The file cannot be read or is not a capture of this version. */
export function readCapture(file: string): Capture {
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > MAX_CAPTURE_BYTES)
      throw new Error(`it has ${size} bytes, and captures have at most ${MAX_CAPTURE_BYTES}`);
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new NotACapture(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  return parseCapture(text, file);
}

/** @throws {NotACapture} The text is not a capture of this version. */
export function parseCapture(text: string, file: string): Capture {
  const [header, ...others] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => parseLine(line, `${file}, line ${index + 1}`));
  if (header?.type !== "capture") throw new NotACapture(`${file} does not begin with the header of a capture.`);
  const calls: (CapturedCall & { events: CapturedCall["events"][number][] })[] = [];
  for (const line of others) {
    const last = calls.at(-1);
    if (line.type === "call") calls.push({ opening: line, events: [] });
    else if (line.type === "capture" || last?.opening.call !== line.call)
      throw new NotACapture(`${file} has a line that belongs to no call: ${line.type}.`);
    else last.events.push(line);
  }
  return { header, calls };
}

function parseLine(line: string, where: string): Line {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw new NotACapture(`${where}: not JSON.`, { cause });
  }
  const parsed = Line.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new NotACapture(`${where}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "not a line of a capture"}`);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
