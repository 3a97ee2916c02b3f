import pino from "pino";
import type { LogLevel } from "../config/settings.js";
import { harmlessText } from "../shown-on.js";
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
  /** These texts are never written. */
  readonly secrets: readonly (string | undefined)[];
  readonly stream?: { write(line: string): unknown; readonly isTTY?: boolean };
}

/** Writes JSON lines, or readable ones on a terminal. Secrets are removed here, whatever callers pass in. */
export function createLog({ level, secrets, stream = new LogOutput() }: LogDeps): Log {
  const redactLine = createLineRedactor(secrets.filter((secret) => secret !== undefined));
  const write =
    stream.isTTY === true ? (line: string) => stream.write(readable(line)) : (line: string) => stream.write(line);
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

/** `12:03:55 info  request done  model=auto status=200` */
function readable(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${readableValue(value)}`);
  const text = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg ?? "")} ${rest.join("")}`;
  return `${harmlessText(text)}\n`; // paths and names of models are what a client wrote
}

function readableValue(value: unknown): string {
  return typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}
