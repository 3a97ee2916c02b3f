import type { ProblemAnswer } from "../../src/page/contract.js";

interface ProblemDetails {
  readonly code?: string | undefined;
  readonly retryAfterS?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Something that a view could not have, in words for the person who looks at it. */
export class Problem extends Error {
  /** The status of the answer; 0 if there was none. */
  readonly status: number;
  readonly details: ProblemDetails;

  constructor(message: string, status: number, details: ProblemDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

export const UNREACHABLE = "The gateway does not answer. Is it still running?";

/** Whatever is thrown but a problem has come of an answer that never came. */
export function toProblem(thrown: unknown): Problem {
  return thrown instanceof Problem ? thrown : new Problem(UNREACHABLE, 0);
}

export function messageOf(thrown: unknown): string {
  return toProblem(thrown).message;
}

export async function problemOf(answer: Response): Promise<Problem> {
  const body: Partial<ProblemAnswer> | undefined = await answer.json().catch(() => undefined);
  const message = body?.error?.message ?? `The gateway answered with status ${answer.status}.`;
  const retryAfterS = Number.parseInt(answer.headers.get("retry-after") ?? "", 10);
  return new Problem(message, answer.status, {
    code: body?.error?.code ?? undefined,
    retryAfterS: Number.isNaN(retryAfterS) ? undefined : retryAfterS,
    requestId: answer.headers.get("x-request-id") ?? undefined,
  });
}
