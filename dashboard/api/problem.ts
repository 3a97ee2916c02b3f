import type { ProblemAnswer } from "../../src/page/contract.js";

/** Something that a view could not have, in words for the person who looks at it. */
export class Problem extends Error {
  /** The status of the answer; 0 if there was none. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }

  /** Whether the gateway does not know this page (any more). */
  get isLockedOut(): boolean {
    return this.status === 401;
  }
}

export const UNREACHABLE = "The gateway does not answer. Is it still running?";

/** What to tell about something thrown by a call. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Problem ? thrown.message : UNREACHABLE;
}

/** What went wrong, from an answer that is not what was asked for. */
export async function problemOf(answer: Response): Promise<Problem> {
  const body: Partial<ProblemAnswer> | undefined = await answer.json().catch(() => undefined);
  const message = body?.error?.message ?? `The gateway answered with status ${answer.status}.`;
  return new Problem(message, answer.status);
}
