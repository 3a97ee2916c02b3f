import type { ErrorKind } from "../../turn/error.js";

/** The status of each kind of error, unless a dialect has its own. */
export const statuses: Readonly<Record<ErrorKind, number>> = {
  "bad-request": 400,
  authentication: 401,
  permission: 403,
  "not-found": 404,
  method: 405,
  "request-timeout": 408,
  "too-large": 413,
  "media-type": 415,
  // No official client repeats this status by itself.
  confirmation: 428,
  "rate-limit": 429,
  quota: 429,
  // Nginx's status for a client that left. Only the log shows it.
  canceled: 499,
  internal: 500,
  "not-implemented": 501,
  upstream: 502,
  overloaded: 503,
  timeout: 504,
};
