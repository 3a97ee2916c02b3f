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
