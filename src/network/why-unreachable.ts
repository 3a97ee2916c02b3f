/** What stood in the way of a call and what to do about it, as the end of a sentence: `(ECONNREFUSED). Check ...` */
export function whyUnreachable(cause: unknown): string {
  const reason = reasonOf(cause);
  const advice = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason)
    ? "If your network inspects traffic, name its certificate in NODE_EXTRA_CA_CERTS."
    : "Check the network, then try again.";
  return `(${reason}). ${advice}`;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "it closed the connection";
  if (cause.name === "AbortError" || cause.name === "TimeoutError") return "it did not answer in time";
  const inner = cause.message === "fetch failed" && cause.cause instanceof Error ? cause.cause : cause;
  return String(Reflect.get(inner, "code") ?? inner.message);
}
