import { type FoundCredential, secretsOf } from "@curlew/gateway/account/credential.js";
import type { Settings } from "../config/settings.js";
import { createLog } from "../log/log.js";
import { LogOutput, type LogStream } from "../log/log-output.js";
import type { Colors } from "../terminal/print.js";

export interface LogOptions {
  readonly logStream: LogStream;
  readonly logColors?: Colors | undefined;
}

/** The gateway's log: JSON lines, or readable lines on a terminal. */
export async function openLog(
  { logLevel, logFormat, apiKey, authToken, key }: Settings,
  { credential }: FoundCredential,
  { logStream, logColors }: LogOptions,
) {
  const logOutput = new LogOutput(logStream);
  const secrets = [apiKey, authToken, key, ...secretsOf(credential)];
  const isText = logFormat === "text" || (logFormat === "auto" && logOutput.isTTY);
  // Loaded lazily: a gateway without a terminal writes JSON.
  const { createLogLines } = isText ? await import("../terminal/log-lines.js") : {};
  const colors = logOutput.isTTY ? logColors : undefined;
  const format = createLogLines?.({ colors, columns: () => logOutput.columns });
  return { log: createLog({ level: logLevel, secrets, stream: logOutput, format }), logOutput };
}
