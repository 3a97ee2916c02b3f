/** Why a gateway cannot start. */
export type StartErrorCode =
  /** There is no Cursor credential on this machine. */
  | "credential_missing"
  /** Others can reach the address, and no gateway key is set. */
  | "key_missing"
  /** The limits file exists but is unusable, and without it nothing would stop a client. */
  | "limits_unusable"
  /** Pass-through or careful conduct excludes a configured backend, or leaves none. */
  | "backend_unsuitable"
  /** The port cannot be opened, or the machine has no such address. */
  | "address_unavailable";

/** A gateway that cannot start. The message says what happened, why, and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: StartErrorCode;
  readonly settings: readonly string[];

  constructor(
    code: StartErrorCode,
    message: string,
    { settings = [], ...options }: ErrorOptions & { settings?: readonly string[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.settings = settings;
  }
}
