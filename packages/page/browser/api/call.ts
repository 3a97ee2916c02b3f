import type { ProblemAnswer, SessionAnswer, SessionQuestion } from "../../access/contract.js";

/** @throws Problem unless the answer is 2xx */
export async function call(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("x-curlew-page", proof());
  const answer = await fetch(`/admin/api/${path}`, { ...options, headers }).catch((thrown: unknown) => {
    if (options.signal?.aborted) throw thrown;
    throw new Problem(UNREACHABLE, 0);
  });
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

export async function read<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await call(path, signal ? { signal } : {})).json();
}

export async function post<Answer>(path: string): Promise<Answer> {
  return (await call(path, { method: "POST" })).json();
}

interface ProblemDetails {
  readonly code?: string | undefined;
  readonly retryAfterS?: number | undefined;
  readonly requestId?: string | undefined;
}

/** A failed request, with a message for the user. */
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

/** Anything thrown that is not a `Problem` means that no answer arrived. */
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

const STORED_AS = "curlew.proof";

/** The proof of the session, which accompanies the cookie. Empty without a session. */
export function proof(): string {
  try {
    return localStorage.getItem(STORED_AS) ?? "";
  } catch {
    return ""; // storage is blocked: a link is needed each time
  }
}

export function forgetProof(): void {
  try {
    localStorage.removeItem(STORED_AS);
  } catch {
    // storage is blocked: nothing is stored
  }
}

/** Opens the page with a link or a key. @throws Problem if the gateway refuses */
export async function openSession(question: SessionQuestion): Promise<void> {
  const answer = await fetch("/admin/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  });
  if (!answer.ok) throw await problemOf(answer);
  const { proof: given }: SessionAnswer = await answer.json();
  localStorage.setItem(STORED_AS, given);
}

/** Removes the secret of a link from the address, to keep it out of history and screenshots. */
export function takeLink(): string | undefined {
  const link = /^#open=([\w-]{1,200})$/.exec(location.hash)?.[1];
  if (link !== undefined) history.replaceState(null, "", location.pathname);
  return link;
}

export interface SseEvent {
  /** Empty for an event without a name. */
  readonly name: string;
  readonly data: string;
}

/** Empty for comments, which are only keep-alives. */
function parse(block: string): SseEvent[] {
  let name = "";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice("event:".length).trim();
    else if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
  }
  return data.length === 0 ? [] : [{ name, data: data.join("\n") }];
}

/** The events of an answer. `onChunk` is called for every chunk, including comments. */
export async function* eventsOf(answer: Response, onChunk: () => void = () => {}): AsyncGenerator<SseEvent> {
  let rest = "";
  const chunks = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const chunk = await chunks?.read();
    if (chunk === undefined || chunk.done) return;
    onChunk();
    const blocks = (rest + chunk.value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    yield* blocks.flatMap(parse);
  }
}
