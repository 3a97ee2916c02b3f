import pino from "pino";
import type { LogLevel } from "../config/settings.js";
import { LogOutput } from "./log-output.js";
import { createLineRedactor, redactFields } from "./redact.js";

/** Fields come first, then a constant text, so that lines can be counted. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface LogDeps {
  readonly level: LogLevel;
  readonly secrets: readonly (string | undefined)[];
  readonly stream?: { write(line: string): unknown };
  /** Makes another text of each JSON line, such as one for people. */
  readonly format?: ((json: string) => string) | undefined;
}

/** Writes JSON lines. Secrets are removed here, whatever callers pass in. */
export function createLog({ level, secrets, stream = new LogOutput(), format }: LogDeps): Log {
  const redactLine = createLineRedactor(secrets.filter((secret) => secret !== undefined));
  const write =
    format === undefined ? (line: string) => stream.write(line) : (line: string) => stream.write(format(line));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      serializers: { err: (fields) => fields },
      hooks: { streamWrite: redactLine },
    },
    { write },
  );
}
