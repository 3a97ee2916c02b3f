import { type FoundCredential, secretsOf } from "../auth/credential.js";
import type { Settings } from "../config/settings.js";
import { createLog } from "../ops/log.js";
import { LogOutput, type LogStream } from "../ops/log-output.js";
import type { Colors } from "../terminal/print.js";

export interface LogOptions {
  readonly logStream?: LogStream | undefined;
  readonly logColors?: Colors | undefined;
}

/** The log of a gateway: JSON lines, or lines for people where one watches. */
export async function openLog(
  { logLevel, logFormat, apiKey, authToken, key }: Settings,
  { credential }: FoundCredential,
  { logStream, logColors }: LogOptions,
) {
  const logOutput = new LogOutput(logStream);
  const secrets = [apiKey, authToken, key, ...secretsOf(credential)];
  const isText = logFormat === "text" || (logFormat === "auto" && logOutput.isTTY);
  const format = isText ? await textFormat(logOutput, logColors) : undefined;
  return { log: createLog({ level: logLevel, secrets, stream: logOutput, format }), logOutput };
}

/** Loaded late: a gateway that nobody watches writes JSON. */
async function textFormat(logOutput: LogOutput, colors: Colors | undefined): Promise<(json: string) => string> {
  const { createLogLines } = await import("../terminal/log-lines.js");
  return createLogLines({ colors: logOutput.isTTY ? colors : undefined, columns: () => logOutput.columns });
}
