/** Headers whose whole value is a secret, or is made from one. */
const secretHeaders = new Set([
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "x-blob-encryption-key",
  "x-client-key",
  "x-curlew-key",
  "x-session-id",
]);

/** Names of secrets in bodies and query strings. */
const secretNames = new Set([
  "accessToken",
  "access_token",
  "apiKey",
  "api_key",
  "idToken",
  "id_token",
  "refreshToken",
  "refresh_token",
  "verifier",
]);

const KEY = /\b(crsr|key)_[\w-]+/g;
/** Texts that may be tokens; their parts decide. */
const RUN = /[\w.-]{6,}/g;

/** Keeps the kind of a credential readable and masks the rest. */
function maskText(text: string): string {
  return text.replace(KEY, "$1_***").replace(RUN, (run) => (run.includes("eyJ") ? maskTokens(run) : run));
}

function maskTokens(run: string): string {
  const parts = run.split(".");
  const shown: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? "";
    const start = part.indexOf("eyJ");
    const isToken = start !== -1 && Boolean(parts[at + 1]) && Boolean(parts[at + 2]);
    shown.push(isToken ? `${part.slice(0, start)}eyJ***` : part);
    if (isToken) at += 2;
  }
  return shown.join(".");
}

export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  const masked = Object.entries(headers).map(([name, value]) => {
    if (name === "authorization") return [name, maskAuthorization(value)];
    return [name, secretHeaders.has(name) ? "***" : maskText(value)];
  });
  return Object.fromEntries(masked);
}

function maskAuthorization(value: string): string {
  const masked = maskText(value);
  if (masked !== value) return masked;
  const scheme = value.includes(" ") ? `${value.split(" ", 1)[0]} ` : "";
  return `${scheme}***`;
}

/** Returns a masked copy of a JSON value. */
export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, secretNames.has(name) ? "***" : maskValue(inner)]),
  );
}

export function maskPath(path: string): string {
  return maskText(path).replace(/([?&])([^=&?]+)=([^&]*)/g, (whole, mark: string, name: string) =>
    secretNames.has(name) ? `${mark}${name}=***` : whole,
  );
}
