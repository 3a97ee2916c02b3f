/** A setting that cannot be used. The message names where it came from and what it must be. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
