import { closeSync, openSync, readSync } from "node:fs";
import { SettingsError } from "./settings-error.js";

/**
 * The text of a file that people write, without its byte order mark. The size that the system names says nothing about a pipe or a
 * device such as /dev/zero, so what is read is counted.
 *
 * @throws SettingsError when it is larger; an Error of the file system when it cannot be read
 */
export function readBounded(path: string, maxBytes: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(maxBytes + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length <= maxBytes; length += count) {
      count = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > maxBytes) throw new SettingsError(`${path} is larger than ${maxBytes} bytes.`);
    return bytes.toString("utf8", 0, length).replace(/^\uFEFF/, "");
  } finally {
    closeSync(file);
  }
}
