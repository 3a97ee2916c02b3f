/** What a service runs, whichever system keeps it. */
export interface ServiceProgram {
  readonly node: string;
  readonly main: string;
  /** `serve` and its flags. */
  readonly args: readonly string[];
  /** Never a secret: definitions of services are plain files that get copied and shown. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface SystemCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** It does no harm when there is nothing to be done. */
  readonly mayFail?: true;
}

export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  readonly encoding: "utf8" | "utf16le";
}

export interface ServiceState {
  readonly isRunning: boolean;
  readonly pid: number | null;
  /** In the system's own words. */
  readonly detail: string;
}

/** A service as one system wants it: files, and commands to run. Nothing here touches the machine. */
export interface Service {
  /** Such as "systemd user service". */
  readonly kind: string;
  readonly files: readonly ServiceFile[];
  /** Makes it run the files as they are now, also if it ran others. */
  readonly start: readonly SystemCommand[];
  /** Ends it for good, while the files are still there. */
  readonly stop: readonly SystemCommand[];
  /** When the files are gone. */
  readonly forget: readonly SystemCommand[];
  readonly query: SystemCommand;
  readState(output: CommandOutput): ServiceState;
  logs(options: { readonly lines: number; readonly follow: boolean }): SystemCommand;
  /** What its owner should know about when it runs. */
  readonly note: string;
}

/** What the system did not do; its message says why, and what to do next. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
}
