export interface SettingsFault {
  readonly message: string;
  /** The name of the setting and the path to a value inside it, such as `routes.opus`. */
  readonly setting?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Settings that cannot be used. The message has a line for each fault. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly faults: readonly SettingsFault[];

  constructor(problems: string | readonly SettingsFault[], options?: ErrorOptions) {
    const faults = typeof problems === "string" ? problems.split("\n").map((message) => ({ message })) : problems;
    super(faults.map(({ message }) => message).join("\n"), options);
    this.faults = faults;
  }
}
