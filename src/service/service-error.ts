/** What the system did not do; its message says why, and what to do next. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
}
