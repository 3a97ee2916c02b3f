// The part of OTLP that traces need, in its JSON form: ids are hexadecimal, 64-bit numbers are texts, and enums are numbers.

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

export const spanKind = { internal: 1, client: 3 } as const;
export const ERROR_STATUS = 2;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: (typeof spanKind)[keyof typeof spanKind];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events?: readonly { readonly timeUnixNano: string; readonly name: string }[];
  readonly status?: { readonly code: typeof ERROR_STATUS };
}

export type AttributeValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Numbers that have a fraction by nature, though this one may be whole. */
const doubles: ReadonlySet<string> = new Set(["gen_ai.response.time_to_first_chunk", "curlew.client_tools.duration"]);

/** Without those that are undefined. */
export function toAttributes(values: AttributeValues): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(key, value) }],
  );
}

function toValue(key: string, value: string | number | boolean): AnyValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return doubles.has(key) ? { doubleValue: value } : { intValue: String(Math.round(value)) };
}

/** The body of one export. */
export function toExport(resource: AttributeValues, version: string, spans: readonly Span[]) {
  const scope = { name: "curlew", version };
  return { resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans: [{ scope, spans }] }] };
}

/** Times are whole milliseconds, whose nanoseconds are more than a number holds. */
export function toNanoseconds(ms: number): string {
  return `${Math.trunc(ms)}000000`;
}
