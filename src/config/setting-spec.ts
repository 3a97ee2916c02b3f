import type { z } from "zod";

/** One setting: its name is its key in curlew.json, and in kebab-case its flag. */
export interface SettingSpec<Value> {
  /**
   * Takes the text of a flag or variable as well as the JSON value of the file; its error says what the value must be.
   * Built when there is a value to check: most settings are never set, and building all of them is felt at the start.
   */
  readonly schema: () => z.ZodType<Value>;
  /** The first that is set counts. */
  readonly env: readonly string[];
  readonly about: string;
  readonly default: Value;
  /** Read from the environment alone: command lines are visible to every user, settings files get shared. */
  readonly isSecret?: true;
  /** Too large for a flag or a variable; secrets may stand in it, so its value is never shown. */
  readonly isFileOnly?: true;
}

/** The same, its values typed by what the schema gives. */
export function setting<Value>(
  spec: Omit<SettingSpec<Value>, "default"> & { readonly default: NoInfer<Value> },
): SettingSpec<Value> {
  return spec;
}
