/** What corrects the behaviour of models and clients, by the names that `disabledQuirks` takes. */
const switchOf = {
  "native-tools": "mapNativeTools",
  "written-calls": "writtenCalls",
  "think-tags": "thinkTags",
  titles: "cheapTitles",
} as const;

export type Quirk = keyof typeof switchOf;
export type QuirkSwitches = Readonly<Record<(typeof switchOf)[Quirk], boolean>>;

export const quirks = Object.keys(switchOf) as Quirk[];

export function quirkSwitches(disabled: readonly Quirk[]): QuirkSwitches {
  const entries = quirks.map((quirk) => [switchOf[quirk], !disabled.includes(quirk)]);
  // Every switch is named by one quirk.
  return Object.fromEntries(entries) as QuirkSwitches;
}
