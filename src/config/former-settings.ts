import type { z } from "zod";
import { constants } from "./constants.js";
import { importSources } from "./mcp/mcp-settings.js";
import type { Quirk } from "./quirks.js";
import { variablesOf } from "./setting.js";
import type { SettingName, Settings } from "./settings.js";
import { list, oneOf, proxyUrl, yesOrNo } from "./values.js";

/** A setting that curlew.json, flags or variables of an older installation may still name. It never stops a start. */
export interface FormerSetting {
  /** What counts now, for people: the replacement, or the constant and its value. */
  readonly instead: string;
  /** Where the value goes. Without it the value is ignored. */
  readonly replacement?: {
    readonly name: SettingName;
    /** The settings with the old value in its new place; undefined for a value that cannot be used. */
    apply(settings: Settings, value: unknown): Settings | undefined;
  };
  /** It came from `startGateway` alone, or from variables that another setting reads now. */
  readonly isEmbeddedOnly?: true;
}

/** The constants that people could set once. The others are younger. */
const { namedCallMs: _namedCallMs, maxRuns: _maxRuns, runWaitMs: _runWaitMs, ...onceSettings } = constants;

export const formerSettings: Readonly<Record<string, FormerSetting>> = {
  ...Object.fromEntries(Object.entries(onceSettings).map(([name, value]) => [name, fixed(name, value)])),
  credentialsFile: { instead: "the credential is always in credentials.json beside curlew.json" },
  modelsFile: { instead: "the list of models is always in models.json in Curlew's cache folder" },
  mapNativeTools: quirk("native-tools"),
  writtenCalls: quirk("written-calls"),
  thinkTags: quirk("think-tags"),
  cheapTitles: quirk("titles"),
  mcpImport: {
    instead: "mcp.import in curlew.json",
    replacement: replacement(
      "mcp",
      () => list(oneOf(importSources)),
      (settings, sources) => ({
        mcp: { ...settings.mcp, import: [...new Set([...(settings.mcp.import ?? []), ...sources])] },
      }),
    ),
  },
  httpsProxy: proxy(),
  allProxy: proxy(),
  httpProxy: { instead: "no call to Cursor goes to an http:// address; proxy names the proxy", isEmbeddedOnly: true },
};

export function isFormerSetting(name: string): boolean {
  return Object.hasOwn(formerSettings, name);
}

export function formerVariables(name: string, { isEmbeddedOnly }: FormerSetting): readonly string[] {
  return isEmbeddedOnly ? [] : variablesOf(name, {});
}

function fixed(name: string, value: unknown): FormerSetting {
  if (value === undefined) return { instead: "it is found without being set" };
  return { instead: `it is always ${shown(name, value)}` };
}

function shown(name: string, value: unknown): string {
  if (typeof value !== "number") return String(value);
  if (name.endsWith("Ms")) return value < 1_000 ? `${value} ms` : `${value / 1_000} s`;
  if (name.endsWith("Bytes")) return `${value / 1024 / 1024} MiB`;
  return name.endsWith("Days") ? `${value} days` : String(value);
}

function quirk(name: Quirk): FormerSetting {
  return {
    instead: `disabledQuirks, as ${name}`,
    replacement: replacement("disabledQuirks", yesOrNo, ({ disabledQuirks }, isWanted) =>
      isWanted ? {} : { disabledQuirks: [...new Set([...disabledQuirks, name])] },
    ),
  };
}

function proxy(): FormerSetting {
  const apply = (settings: Settings, value: string) => ({ proxy: settings.proxy ?? value });
  return { instead: "proxy (HTTPS_PROXY)", replacement: replacement("proxy", proxyUrl, apply), isEmbeddedOnly: true };
}

function replacement<Value>(
  name: SettingName,
  type: () => z.ZodType<Value>,
  apply: (settings: Settings, value: Value) => Partial<Settings>,
): NonNullable<FormerSetting["replacement"]> {
  return {
    name,
    apply(settings, value) {
      const read = type().safeParse(value);
      return read.success ? { ...settings, ...apply(settings, read.data) } : undefined;
    },
  };
}
