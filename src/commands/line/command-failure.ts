/** A command that cannot do what was asked; its message is all that the user sees. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  /** 1 = failed, 2 = used wrongly. */
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
