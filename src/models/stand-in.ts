import type { Model } from "../backends/backend.js";

interface Rule {
  /** Names that clients have built in. */
  readonly asked: RegExp;
  /** Which of the listed models come nearest, in order of likeness. */
  readonly instead: readonly RegExp[];
}

const rules: readonly Rule[] = [
  { asked: /^claude-.*opus/, instead: [/opus/, /^claude/] },
  { asked: /^claude-.*sonnet/, instead: [/sonnet/, /^claude/] },
  { asked: /^claude-.*haiku/, instead: [/haiku/] },
  {
    asked: /^(gpt-3\.5-turbo.*|(gpt-4o|gpt-4\.1|gpt-5|o[134])-(mini|nano))(-\d{4}-\d{2}-\d{2})?$/,
    instead: [/^gpt.*(mini|nano)/],
  },
  {
    asked:
      /^(gpt-4(-turbo|-32k)?|gpt-4o|gpt-4\.[15]|chatgpt-4o|gpt-5(-chat|-codex)?|o[13](-pro)?)(-preview|-latest|-\d{4}(-\d{2}-\d{2})?)*$/,
    instead: [/^gpt(?!.*(mini|nano))/],
  },
  { asked: /^gemini-.*flash/, instead: [/^gemini.*flash/] },
  { asked: /^gemini-.*pro/, instead: [/^gemini.*pro/] },
];

/**
 * The listed model that serves instead of a well-known one of another vendor's API: the same family and, if it is there, the
 * same version, else the newest; `default` where the family is not listed. Undefined for names that nobody has built in.
 */
export function standIn(asked: string, models: readonly Model[]): Model | undefined {
  const name = asked.toLowerCase();
  if (!/^[a-z0-9.-]+$/.test(name)) return undefined;
  const rule = rules.find((each) => each.asked.test(name));
  if (rule === undefined) return undefined;
  for (const pattern of rule.instead) {
    const [best] = models.filter(({ id }) => pattern.test(id.toLowerCase())).sort(byLikeness(versionOf(name)));
    if (best !== undefined) return best;
  }
  return models.find(({ id }) => id === "default");
}

function byLikeness(wanted: readonly number[]) {
  const isSame = ({ id }: Model) => versionOf(id).slice(0, wanted.length).join(".") === wanted.join(".");
  return (a: Model, b: Model): number =>
    Number(isSame(b)) - Number(isSame(a)) ||
    compareVersions(versionOf(b.id), versionOf(a.id)) ||
    a.id.length - b.id.length;
}

/** The first two numbers of a name that are no date: 4, 5 of `claude-sonnet-4-5-20250929` and of `claude-4.5-sonnet`. */
function versionOf(name: string): readonly number[] {
  const bare = name.replace(/-?\d{4}-\d{2}-\d{2}|-?\d{6,}/g, "");
  return (bare.match(/\d+/g) ?? []).slice(0, 2).map(Number);
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
}
