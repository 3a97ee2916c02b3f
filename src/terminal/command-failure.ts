import { reasonOf } from "../turn/reason-of.js";

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

/** Why a file cannot be written, unless the command itself has refused to. */
export function notWritten(path: string, thrown: unknown): CommandFailure {
  if (thrown instanceof CommandFailure) return thrown;
  return new CommandFailure(1, `${path} cannot be written: ${reasonOf(thrown)}.`, { cause: thrown });
}
