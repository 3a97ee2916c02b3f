import type { z } from "zod";
import { GatewayError } from "../../turn/error.js";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Parses a body by its schema. @throws {GatewayError} `invalid_request`, with the path of the first bad field. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}

/** The error for an option that changes an answer too much to be ignored with a warning. */
export function unsupported(param: string, reason: string): GatewayError {
  return new GatewayError("unsupported_parameter", `${param}: ${reason}.`, { param });
}

export function missingMessages(text: string, param = "messages"): GatewayError {
  return new GatewayError("missing_messages", text, { param });
}

export const ONE_CHOICE = "one request gives one choice here; send the request several times";
export const NO_LOGPROBS = "Cursor does not report the probability of tokens; leave this out";

/** Describes what is wrong with a request body: the path of the first bad field and what it should be, never its value. */
function invalidRequest(error: z.ZodError): GatewayError {
  const [first] = error.issues;
  if (first === undefined) return new GatewayError("invalid_request", "The request body is not usable.");
  const { path, issue } = mostSpecific(first, []);
  const param = formatPath(path);
  if (param !== "" && issue.code === "invalid_type" && isMissing(issue)) {
    return new GatewayError("invalid_request", `Missing required field \`${param}\` (${typeName(issue)}).`, { param });
  }
  const text = `${param === "" ? "body" : param}: ${describe(issue)}.`;
  return new GatewayError("invalid_request", text, param === "" ? {} : { param });
}

/** `messages[2].content[0].text` */
function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}

/** In a union, the client meant the branch that got furthest. */
function mostSpecific(issue: Issue, above: Path): { path: Path; issue: Issue } {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union") return { path, issue };
  let best: { path: Path; issue: Issue } | undefined;
  for (const [first] of issue.errors) {
    if (first === undefined || isOtherShape(first)) continue;
    const candidate = mostSpecific(first, path);
    if (best === undefined || candidate.path.length > best.path.length) best = candidate;
  }
  return best ?? { path, issue };
}

function isOtherShape(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.path.length === 0;
}

function describe(issue: Issue): string {
  if (issue.code === "invalid_union") {
    if ("options" in issue && Array.isArray(issue.options)) return `must be one of ${list(issue.options)}`;
    const expected = issue.errors.flatMap(([first]) => (first?.code === "invalid_type" ? [withArticle(first)] : []));
    return `must be ${[...new Set(expected)].join(" or ")}`;
  }
  if (issue.code === "invalid_type") return `must be ${withArticle(issue)}`;
  if (issue.code === "invalid_value") return `must be ${issue.values.length > 1 ? "one of " : ""}${list(issue.values)}`;
  if (issue.code === "too_small" && issue.origin === "string") return "must not be empty";
  return issue.message;
}

function typeName({ expected }: z.core.$ZodIssueInvalidType): string {
  switch (expected) {
    case "int":
      return "whole number";
    case "record":
      return "object";
    default:
      return expected;
  }
}

function withArticle(issue: z.core.$ZodIssueInvalidType): string {
  const name = typeName(issue);
  if (name === "boolean") return "true or false";
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}

/** Zod distinguishes a missing field from a wrong one only in its message. */
function isMissing(issue: Issue): boolean {
  return issue.message.endsWith("received undefined");
}

function list(values: readonly unknown[]): string {
  return values.filter((value) => value !== undefined).join(", ");
}

/**
 * Takes the fields that a dialect accepts but cannot honour, each with a test whether ignoring it matters to the client. Returns
 * a function that names the ignored fields of a request in one sentence, or in none.
 */
export function unhonoured<Request>(fields: Readonly<Record<string, (request: Request) => boolean>>) {
  return (request: Request): string[] => {
    const named = Object.keys(fields).filter((field) => fields[field]?.(request));
    return named.length === 0 ? [] : [`Not supported here and ignored: ${named.join(", ")}.`];
  };
}

/** One sentence that ends with the names of what was left out, or none. */
export function warnOfLeftOut(sentence: string, names: ReadonlySet<string>): string[] {
  const named = [...names].slice(0, 5).join(", ");
  return named === "" ? [] : [`${sentence}: ${named}.`];
}

export function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}
