import { type FoundCredential, secretsOf } from "../auth/credential.js";
import type { Settings } from "../config/settings.js";
import type { Colors } from "../ops/lines/index.js";
import { createLog, type Log } from "../ops/log.js";
import { LogOutput, type LogStream } from "../ops/log-output.js";

export interface LogOptions {
  /** Where the log goes, if not to standard error. */
  readonly logStream?: LogStream | undefined;
  /** The colours of a log for people, if any. */
  readonly logColors?: Colors | undefined;
}

interface OpenLog {
  readonly log: Log;
  readonly logOutput: LogOutput;
}

/** The log of a gateway: JSON lines, or lines for people where one watches. */
export async function openLog(
  { logLevel, logFormat, apiKey, authToken, key, otlp }: Settings,
  { credential }: FoundCredential,
  { logStream, logColors }: LogOptions,
): Promise<OpenLog> {
  const logOutput = new LogOutput(logStream);
  // A short value is no key, and may be a part of many words.
  const headers = Object.values(otlp.headers).filter((value) => value.length >= 8);
  const secrets = [apiKey, authToken, key, ...secretsOf(credential), ...headers];
  const isText = logFormat === "text" || (logFormat === "auto" && logOutput.isTTY);
  const format = isText ? await textFormat(logOutput, logColors) : undefined;
  return { log: createLog({ level: logLevel, secrets, stream: logOutput, format }), logOutput };
}

/** Loaded late: a gateway that nobody watches writes JSON. */
async function textFormat(logOutput: LogOutput, colors: Colors | undefined): Promise<(json: string) => string> {
  const { createLogLines, noColors } = await import("../ops/lines/index.js");
  return createLogLines({
    colors: (logOutput.isTTY ? colors : undefined) ?? noColors,
    columns: () => logOutput.columns,
  });
}
