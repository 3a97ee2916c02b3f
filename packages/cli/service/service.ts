export interface ServiceProgram {
  readonly node: string;
  readonly main: string;
  readonly args: readonly string[];
  /** Never holds a secret: service definitions are plain files that get copied and shown. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface SystemCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** A failure of this command is ignored: there may be nothing to do. */
  readonly mayFail?: true;
}

export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the log of a service is: the system keeps it, or Curlew writes files of its own. */
export type ServiceLog =
  /** `isBare`: only the lines of the program itself are shown, without the journal's own columns. */
  | { readonly kind: "journal"; show(lines: number, follow: boolean, isBare: boolean): SystemCommand }
  | {
      readonly kind: "files";
      /** The log, as `serve --log-file` writes it. */
      readonly path: string;
      /** Output outside the log at its last start, such as why Node could not run it. */
      readonly startPath: string;
    };

/** A service as one system defines it: files, and commands to run. Nothing here touches the machine. */
export interface Service {
  readonly kind: string;
  readonly files: readonly { readonly path: string; readonly text: string; readonly encoding: "utf8" | "utf16le" }[];
  /** Files that the system creates, to be removed even if the system cannot. */
  readonly links: readonly string[];
  /** Starts the service with the current files, even if it runs with older ones. */
  readonly install: readonly SystemCommand[];
  readonly start: readonly SystemCommand[];
  /** Stops the service until the next start or login. */
  readonly stop: readonly SystemCommand[];
  readonly restart: readonly SystemCommand[];
  /** Stops the service for good, while the files are still there. */
  readonly uninstall: readonly SystemCommand[];
  /** Run after the files are removed. */
  readonly forget: readonly SystemCommand[];
  readonly query: SystemCommand;
  /** The detail is the state in the system's own words. */
  readState(output: CommandOutput): {
    readonly isRunning: boolean;
    readonly pid: number | null;
    readonly detail: string;
  };
  readonly log: ServiceLog;
  readonly note: string;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

export function xmlText(text: string): string {
  return text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign);
}
