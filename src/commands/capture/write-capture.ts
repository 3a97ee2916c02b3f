import { homedir, hostname } from "node:os";
import { resolve } from "node:path";
import { type Capture, previewOf, safeText, UnsafeCapture } from "../../capture/index.js";
import type { Settings } from "../../config/settings.js";
import { replaceFile } from "../../replace-file.js";
import { CommandFailure } from "../line/command-failure.js";

interface WriteOptions {
  readonly settings: Pick<Settings, "apiKey" | "authToken" | "key"> | undefined;
  /** Asked with the preview in sight; false keeps the capture from being written. */
  readonly confirm: () => Promise<boolean>;
}

/**
 * Shows what is in a capture, and writes it. Returns whether it was written.
 *
 * @throws {CommandFailure} It holds something private, or the file cannot be written.
 */
export async function writeCapture(file: string, capture: Capture, options: WriteOptions): Promise<boolean> {
  const { apiKey, authToken, key } = options.settings ?? {};
  const secrets = [apiKey, authToken, key].filter((secret) => secret !== undefined);
  let text: string;
  try {
    text = safeText(capture, { secrets, homeFolder: homedir(), hostName: hostname() });
  } catch (thrown) {
    if (thrown instanceof UnsafeCapture)
      throw new CommandFailure(1, `${thrown.message} Please report it.`, { cause: thrown });
    throw thrown;
  }
  process.stderr.write(previewOf(capture));
  if (!(await options.confirm())) return false;
  try {
    replaceFile(resolve(file), text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(1, `The capture cannot be written: ${reason}`, { cause });
  }
  return true;
}
