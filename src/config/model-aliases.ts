import { z } from "zod";
import { pairs } from "./values.js";

/** `alias=model, ...` as text, an object in the file. */
export function aliases() {
  const must = "names and models such as gpt-4=gpt-5.5, separated by commas";
  return pairs(z.string(must).min(1, must), must).superRefine((given, context) => {
    const chain = chainIn(given);
    if (chain !== undefined) context.addIssue({ code: "custom", path: [chain.alias], message: chain.must });
  });
}

/**
 * The first alias of an alias, and what it must be instead; undefined if there is none. Following them could go in circles, and
 * clients would only hear that the second name is unknown.
 */
function chainIn(
  given: Readonly<Record<string, string>>,
): { readonly alias: string; readonly must: string } | undefined {
  const targets = new Map(Object.entries(given).map(([alias, target]) => [alias.toLowerCase(), target]));
  for (const [alias, target] of Object.entries(given)) {
    const { name, options } = split(target);
    const next = targets.get(name.toLowerCase());
    if (next === undefined) continue;
    const inner = split(next);
    const leadsOn = targets.has(inner.name.toLowerCase());
    const instead = leadsOn
      ? `name a model in its place`
      : `write ${alias}=${inner.name}${options === "" ? inner.options : options}`;
    return { alias, must: `the name of a model, and ${name} is another alias: ${instead}` };
  }
  return undefined;
}

/** `cursor/opus:high` is the name `opus` with the options `:high`. */
function split(target: string): { readonly name: string; readonly options: string } {
  const [name = ""] = target.replace(/^cursor\//i, "").split(/[:[]/, 1);
  return { name, options: target.replace(/^cursor\//i, "").slice(name.length) };
}
