import type { SettingName, schema } from "./schema.js";
import type { SettingSpec } from "./setting-spec.js";

export type { SettingName } from "./schema.js";

/** A value for everything that can be set. */
export type Settings = {
  -readonly [Name in SettingName]: (typeof schema)[Name] extends SettingSpec<infer Value> ? Value : never;
};

export type LogLevel = Settings["logLevel"];
