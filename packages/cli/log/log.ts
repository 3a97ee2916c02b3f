import { MASK, maskCredentials } from "@curlew/gateway/turn/mask-credentials.js";
import pino from "pino";
import type { Settings } from "../config/settings.js";

/** Fields first, then a constant message, so that lines can be grouped by message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface LogDeps {
  readonly level: Settings["logLevel"];
  readonly secrets: readonly (string | undefined)[];
  readonly stream: { write(line: string): unknown };
  /** Converts each JSON line, for example to human-readable text. */
  readonly format?: ((json: string) => string) | undefined;
}

/** Writes JSON lines. Redacts secrets, whatever callers pass in. */
export function createLog({ level, secrets, stream, format }: LogDeps): Log {
  const redactLine = createLineRedactor(secrets.filter((secret) => secret !== undefined));
  const write =
    format === undefined ? (line: string) => stream.write(line) : (line: string) => stream.write(format(line));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => (isHarmless(fields) ? fields : redactObject(fields, 0, new Set())),
      },
      serializers: { err: (fields) => fields },
      hooks: { streamWrite: redactLine },
    },
    { write },
  );
}

/** Fields whose text is always a credential or part of a conversation. Numbers in them are counts. */
const SECRET_NAME = /authorization|cookie|x-api-key|x-curlew-key|api-?key|token|secret|password|verifier/i;
const PROMPT_NAME = /^(prompt|messages|system|content|text|delta|input|output|arguments|body)$/i;

const MAX_DEPTH = 8;

/** Fast path: fields with nothing to redact, such as those of request lines, are not copied. */
function isHarmless(fields: Record<string, unknown>): boolean {
  if (fields instanceof Error) return false;
  return Object.keys(fields).every((name) => {
    const value = fields[name];
    return (typeof value !== "object" || value === null) && !isHidden(name, value);
  });
}

export function createLineRedactor(secrets: readonly string[]): (line: string) => string {
  // The secrets as escaped in JSON.
  const known = secrets.filter((secret) => secret !== "").map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) => {
    let safe = line;
    for (const secret of known) safe = safe.replaceAll(secret, MASK);
    return maskCredentials(safe);
  };
}

function redactObject(object: object, depth: number, above: ReadonlySet<object>): Record<string, unknown> {
  const fields = object instanceof Error ? errorFields(object) : object;
  const here = new Set(above).add(object);
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, isHidden(name, value) ? MASK : redactValue(value, depth, here)];
  });
  return Object.fromEntries(entries);
}

function isHidden(name: string, value: unknown): boolean {
  const isCount = typeof value === "number" || typeof value === "boolean" || value === undefined || value === null;
  return !isCount && (SECRET_NAME.test(name) || PROMPT_NAME.test(name));
}

function redactValue(value: unknown, depth: number, above: ReadonlySet<object>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH || above.has(value)) return "[...]";
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1, above));
  return redactObject(value, depth + 1, above);
}

/** A fixed set of fields: errors of libraries may carry whole requests in others. */
function errorFields(error: Error): object {
  return {
    type: error.name,
    ...("code" in error && { code: error.code }),
    message: error.message,
    stack: error.stack,
    ...(error.cause !== undefined && { cause: error.cause }),
  };
}
