/** What OpenTelemetry's own variables add to the setting `otlpEndpoint`. */
export interface OtlpSettings {
  /** Sent with every export. They often hold a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}

/** The variable of all signals: each has its own path below this address. */
const GENERAL_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** The first that is set counts. */
export const otlpEndpointVariables = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", GENERAL_ENDPOINT] as const;
const headerVariables = ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"] as const;
const protocolVariables = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] as const;

/** Variables that are read here and are no settings: those that hold secrets, and the others. */
export const otlpVariables = {
  secret: headerVariables,
  plain: [...protocolVariables, "OTEL_SERVICE_NAME", "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"],
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The first of these variables that is set and not empty. */
function firstOf(names: readonly string[], env: Environment): string | undefined {
  return names.map((name) => env[name]).find((value) => value);
}

export function readOtlpSettings(env: Environment): OtlpSettings {
  return { headers: parseHeaders(firstOf(headerVariables, env) ?? ""), serviceName: env.OTEL_SERVICE_NAME || "curlew" };
}

export interface OtlpEndpoint {
  readonly url?: string;
  readonly warning?: string;
}

/**
 * Where a variable says that traces go. These variables are meant for every program on a machine, so what they say is never a reason
 * not to start: what cannot be used is a warning.
 */
export function readOtlpEndpoint(variable: string, value: string, env: Environment): OtlpEndpoint {
  const { OTEL_TRACES_EXPORTER: exporters = "otlp" } = env;
  if (env.OTEL_SDK_DISABLED === "true" || !exporters.includes("otlp")) return {};
  if (firstOf(protocolVariables, env) === "grpc") {
    return { warning: `${variable} is ignored: Curlew sends traces by HTTP, and the environment asks for gRPC.` };
  }
  if (!isWebUrl(value)) {
    return { warning: `${variable} is ignored: it must be an address such as http://localhost:4318.` };
  }
  return { url: variable === GENERAL_ENDPOINT ? `${value.replace(/\/$/, "")}/v1/traces` : value };
}

export function isWebUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** `name=value,name=value`, with values as in an address. What is no header is left out: it would make every export fail. */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    const value = decoded(pair.slice(at + 1).trim());
    return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t -~]*$/.test(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
