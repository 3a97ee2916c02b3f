import { randomBytes } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import {
  finishCapture,
  previewOf,
  RawCapture,
  safeText,
  UnsafeCapture,
} from "@curlew/gateway/backends/capture/index.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import type { Capture } from "@curlew/wire/messages/capture-format.js";
import { version } from "../../app/version.js";
import type { Settings } from "../../config/settings.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure, orFail } from "../../terminal/print.js";
import { askConsent } from "../../terminal/prompts.js";

/** Prepares a recording. @throws {CommandFailure} It could not be confirmed or written in the end. */
export async function prepareRecording(machine: CommandMachine, file: string, isGranted: boolean) {
  if (!isGranted && !machine.stdin.isTTY) {
    throw new CommandFailure(2, "No terminal to confirm on. Run: curlew serve --record FILE --yes");
  }
  checkWritable(file);
  if (!isGranted) await import("@clack/prompts"); // loaded now, because an update may remove its file
  const recorder = new RawCapture(() => performance.now());
  return {
    recorder,
    /** @throws {CommandFailure} This backend cannot be recorded. */
    begin(backend: string) {
      if (backend !== "agent" && backend !== "simulator") {
        const text = `Only the agent backend can be recorded, and this gateway uses ${backend}.`;
        throw new CommandFailure(2, `${text} Run: curlew serve --record FILE --backend agent`);
      }
      machine.stderr.write("Recording. Reproduce the problem once, then press Ctrl-C.\n\n");
    },
    async finish(settings: Settings) {
      // Never shows conversation text.
      const capture = finishCapture(recorder, { by: "record", version, nowMs: Date.now(), shown: {} });
      const confirm = async () => isGranted || askConsent(machine, `Write it to ${file}?`);
      const isWritten = await writeCapture(machine, file, capture, settings, confirm);
      machine.stderr.write(isWritten ? `The capture is in ${file}\n` : "Nothing was written.\n");
    },
  };
}

/** Checks before recording that the capture can be written. @throws {CommandFailure} It cannot. */
export function checkWritable(file: string): void {
  const path = resolve(file);
  const tryOut = () => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error(`${path} is a folder.`);
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    writeFileSync(draft, "", { mode: 0o600, flag: "wx" });
    rmSync(draft);
  };
  orFail(tryOut, { exitCode: 2, words: (why) => `The capture could not be written: ${why} Name another file.` });
}

/** Shows a preview of a capture, and writes it if `confirm` agrees. Returns whether it was written. */
export async function writeCapture(
  machine: CommandMachine,
  file: string,
  capture: Capture,
  settings?: Settings,
  confirm = async () => true,
) {
  const { apiKey, authToken, key } = settings ?? {};
  const secrets = [apiKey, authToken, key].filter((secret) => secret !== undefined);
  const privateWords = { secrets, homeFolder: machine.homeDirectory, hostName: hostname() };
  const unsafe = { exitCode: 1, kind: UnsafeCapture, words: (why: string) => `${why} Please report it.` } as const;
  const text = orFail(() => safeText(capture, privateWords), unsafe);
  machine.stderr.write(shownOn(machine.stderr, previewOf(capture)));
  if (!(await confirm())) return false;
  const words = (why: string) => `The capture cannot be written: ${why}`;
  orFail(() => replaceFile(resolve(file), text), { exitCode: 1, words });
  return true;
}
