import { type Capture, NotACapture, readCapture } from "../../capture/index.js";
import { CommandFailure } from "../line/command-failure.js";

/** @throws {CommandFailure} The file is no capture. */
export function openCapture(option: string, file: string): Capture {
  try {
    return readCapture(file);
  } catch (thrown) {
    if (thrown instanceof NotACapture) throw new CommandFailure(2, `${option}: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}
