/** Fields that a dialect accepts and cannot act on, each with a test whether ignoring it matters to the client. */
export type UnhonouredFields<Request> = Readonly<Record<string, (request: Request) => boolean>>;

/** One sentence that names the ignored fields, or none. */
export function warnOfUnhonoured<Request>(request: Request, fields: UnhonouredFields<Request>): string[] {
  const named = Object.keys(fields).filter((field) => fields[field]?.(request));
  return named.length === 0 ? [] : [`Not honoured here, and left out: ${named.join(", ")}.`];
}

/** One sentence that ends with the names of what was left out, or none. */
export function warnOfLeftOut(sentence: string, names: ReadonlySet<string>): string[] {
  const named = [...names].slice(0, 5).join(", ");
  return named === "" ? [] : [`${sentence}: ${named}.`];
}

export function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
