/** How a file names variables of the environment: `${env:NAME}`, `${NAME}` or `${NAME:-else}`, `{env:NAME}`. */
export type VariableForm = "prefixed" | "shell" | "braces";

/** A default may have at most 1,000 characters; the search for its end stops there. */
const patterns: Readonly<Record<VariableForm, RegExp>> = {
  prefixed: /\$\{env:([A-Za-z_]\w*)\}/g,
  shell: /\$\{([A-Za-z_]\w*)(?::-([^}]{0,1000}))?\}/g,
  braces: /(?<!\$)\{env:([A-Za-z_]\w*)\}/g,
};

/**
 * The value with the variables in all of its texts filled in; nothing else is evaluated. Throws the name of a variable that is
 * not set: a server that is started without its key fails later, and nobody knows why.
 */
export function substitute(
  value: unknown,
  forms: readonly VariableForm[],
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  if (typeof value === "string") return forms.reduce((text, form) => fill(text, patterns[form], env), value);
  if (Array.isArray(value)) return value.map((each) => substitute(each, forms, env));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, substitute(each, forms, env)]));
}

function fill(text: string, pattern: RegExp, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(pattern, (_, name: string, fallbackModel: unknown) => {
    // A pattern without a second group has a number here.
    const found = env[name] || (typeof fallbackModel === "string" ? fallbackModel : undefined);
    if (found === undefined) throw new Error(`the environment variable ${name} is not set`);
    return found;
  });
}
