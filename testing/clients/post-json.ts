/** Posts a body as JSON, with these headers beside its own. */
export function postJson(
  url: string | URL,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

/** Asks for a stream, and leaves when it has begun. */
export async function leaveMidway(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const leaving = new AbortController();
  const response = await postJson(url, { model: "auto", stream: true, ...body }, headers, leaving.signal);
  await response.body?.getReader().read();
  leaving.abort();
}
