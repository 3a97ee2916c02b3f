/** How one option is read: from JSON, or from the text of a flag. */
export interface Rule<Value> {
  readonly wants: string;
  /** Returns undefined for a value that does not fit. */
  readonly read: (value: unknown) => Value | undefined;
}

export function oneOf<const Choice extends string | number | boolean>(...choices: Choice[]): Rule<Choice> {
  return {
    wants: `one of ${choices.join(", ")}`,
    read: (value) => choices.find((choice) => choice === value || String(choice) === value),
  };
}

export function oneOfOrCounted<const Choice extends string, const Counted extends string>(
  choices: Choice[],
  counted: Counted,
): Rule<Choice | `${Counted}-${number}`> {
  const plain = oneOf(...choices);
  const isCounted = (value: unknown): value is `${Counted}-${number}` =>
    typeof value === "string" &&
    value.startsWith(`${counted}-`) &&
    /^[1-9]\d{0,5}$/.test(value.slice(counted.length + 1));
  return {
    wants: `${plain.wants}, or ${counted}-N with N from 1`,
    read: (value) => (isCounted(value) ? value : plain.read(value)),
  };
}

export function whole(least: number, most: number): Rule<number> {
  return {
    wants: `a whole number from ${least} to ${most}`,
    read: (value) => {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      if (typeof number !== "number" || !Number.isSafeInteger(number)) return undefined;
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export function flag(): Rule<boolean> {
  return {
    wants: "true or false",
    read: (value) => {
      if (typeof value === "boolean") return value;
      return value === "true" ? true : value === "false" ? false : undefined;
    },
  };
}

export function words(): Rule<readonly string[]> {
  return {
    wants: "a list of words, or one text with commas between them",
    read: (value) => {
      const list: unknown = typeof value === "string" ? value.split(",").map((word) => word.trim()) : value;
      if (!Array.isArray(list) || !list.every((word) => typeof word === "string" && word !== "")) return undefined;
      return list;
    },
  };
}

export function text(): Rule<string> {
  return { wants: "a text", read: (value) => (typeof value === "string" ? value : undefined) };
}
