import type { z } from "zod";

/** One setting. Its name is its key in curlew.json; its flag and its environment variable are derived from the name. */
export interface Setting<Value> {
  /** Accepts texts and JSON values; its error says what a value must be. Lazy, because building all would delay the start. */
  readonly type: () => z.ZodType<Value>;
  readonly default: Value;
  /** Instead of `CURLEW_` and the name; the first that is set counts. */
  readonly env?: readonly string[];
  readonly group: string;
  /** One or two sentences for help, completion, the settings page and the JSON Schema. */
  readonly about: string;
  /** `--help` lists the common settings, `--help all` the rare ones too. */
  readonly use: "common" | "rare";
  /** The only source, if the setting cannot come from flag, environment and file alike. */
  readonly only?: "environment" | "file";
  /** Its value is never shown. Command lines are visible to every user and files get shared, so `only` must be set. */
  readonly isSecret?: true;
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

type Ungrouped<Value> = Omit<Setting<Value>, "group" | "use"> & { readonly use?: "common" };

/** Infers the type of the value from the schema. */
export function setting<Value>(
  spec: Omit<Ungrouped<Value>, "default"> & { readonly default: NoInfer<Value> },
): Ungrouped<Value> {
  return spec;
}

export function optional<Value>(spec: Omit<Ungrouped<Value>, "default">): Ungrouped<Value | undefined> {
  return { ...spec, type: () => spec.type().optional(), default: undefined };
}

/** A setting that only the environment may hold. */
export function secret<Value>(spec: Omit<Ungrouped<Value>, "default">): Ungrouped<Value | undefined> {
  return optional({ ...spec, only: "environment", isSecret: true });
}

type Grouped<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Ungrouped<infer Value> ? Setting<Value> : never;
};

export function group<Settings extends Readonly<Record<string, Ungrouped<unknown>>>>(
  title: string,
  settings: Settings,
): Grouped<Settings> {
  const entries = Object.entries(settings).map(([name, spec]) => [name, { use: "rare", ...spec, group: title }]);
  // Every setting keeps its name and its type; only the group and the default `use` are added.
  return Object.fromEntries(entries) as Grouped<Settings>;
}

/** `stateMaxBytes` -> `state-max-bytes` */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `stateMaxBytes` -> `CURLEW_STATE_MAX_BYTES`, unless the table names others. */
export function variablesOf(name: string, { env, only }: Pick<Setting<unknown>, "env" | "only">): readonly string[] {
  if (only === "file") return [];
  return env ?? [`CURLEW_${flagName(name).replaceAll("-", "_").toUpperCase()}`];
}

export function settingsWithFlag<Table extends SettingsTable>(table: Table): (keyof Table & string)[] {
  return Object.keys(table).filter((name) => table[name]?.only === undefined);
}
