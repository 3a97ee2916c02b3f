import { Problem, problemOf, UNREACHABLE } from "./problem.js";
import { proof } from "./session.js";

/** @throws Problem for every answer but 2xx, and when there is none */
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
