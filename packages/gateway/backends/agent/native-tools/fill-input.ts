import { isObject, type JsonObject } from "../../../turn/read-json.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { descriptiveParameters, type RoleEntry, type Slot } from "./equivalents.js";
import { compactName } from "./find-tools.js";
import { fitSlotValue, type Parameter, parameterOf } from "./fit-value.js";
import { fitValue, isJson, type Json, onlyValue, readingsOf, takesNull } from "./json-schema.js";
import type { OneOf, SlotValues, WantedInput } from "./native-request.js";

export interface FilledInput {
  readonly input: Readonly<Record<string, Json>>;
  readonly said: ReadonlySet<string>;
}

interface Form {
  readonly parameters: readonly Parameter[];
  readonly required: readonly unknown[];
  readonly root: JsonObject;
  readonly role: RoleEntry;
  readonly wanted: WantedInput;
}

interface Bundle {
  readonly name: string;
  readonly items: JsonObject;
}

const descriptive = new Set(descriptiveParameters.map(compactName));

/** Returns arguments that fit the tool's schema and cover every required slot, or undefined when the tool cannot take them. */
export function fillInput(tool: ToolDefinition, role: RoleEntry, wanted: WantedInput): FilledInput | undefined {
  const root = tool.inputSchema;
  const each = wanted.each ?? [{}];
  const must = [wanted.must, ...each].flatMap(slotEntries).map(([slot]) => slot);
  for (const shape of readingsOf(root, root)) {
    const form = formOf(shape, { root, role, wanted });
    const [only, ...others] = each;
    const ways = [
      ...(only !== undefined && others.length === 0 ? [() => fillFlat(form, only)] : []),
      ...bundlesOf(form).map((bundle) => () => fillBundle(form, bundle, each)),
    ];
    for (const fill of ways) {
      const filled = fill();
      if (filled !== undefined && must.every((slot) => filled.said.has(slot))) return filled;
    }
  }
  return undefined;
}

function formOf(shape: JsonObject, context: Pick<Form, "root" | "role" | "wanted">): Form {
  const properties = isObject(shape.properties) ? Object.entries(shape.properties) : [];
  return {
    ...context,
    parameters: properties.map(([name, schema]) => parameterOf(name, schema, context.root)),
    required: Array.isArray(shape.required) ? shape.required : [],
  };
}

/** Fills the top-level parameters, beside an already filled bundle if given. */
function fillFlat(form: Form, own: SlotValues, bundled?: { name: string; value: Json }): FilledInput | undefined {
  const { parameters, required, root, wanted } = form;
  const values = new Map<string, Json>();
  const said = new Set<string>();
  if (bundled !== undefined) values.set(bundled.name, bundled.value);
  for (const [slot, meantValue] of [own, wanted.must, wanted.may ?? {}].flatMap(slotEntries)) {
    for (const parameter of parametersFor(form, slot)) {
      const value = values.has(parameter.name) ? undefined : fitSlotValue(slot, meantValue, parameter, root);
      if (value === undefined) continue;
      values.set(parameter.name, value);
      said.add(slot);
      break;
    }
  }
  for (const name of required) {
    if (typeof name !== "string" || values.has(name)) continue;
    const parameter = parameters.find((candidate) => candidate.name === name);
    const value = parameter === undefined ? undefined : fallbackFor(form, parameter);
    if (value === undefined) return undefined;
    values.set(name, value);
  }
  const inOrder = parameters.filter(({ name }) => values.has(name));
  return { input: Object.fromEntries(inOrder.map(({ name }) => [name, values.get(name) ?? null])), said };
}

function fillBundle(form: Form, { name, items }: Bundle, each: readonly SlotValues[]): FilledInput | undefined {
  const itemForm = formOf(items, form);
  const parts = each.map((own) => fillFlat(itemForm, own));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const outer = fillFlat(form, {}, { name, value: parts.map(({ input }) => input) });
  if (outer === undefined) return undefined;
  const saidInAll = [...(parts[0]?.said ?? [])].filter((slot) => parts.every(({ said }) => said.has(slot)));
  return { input: outer.input, said: new Set([...outer.said, ...saidInAll]) };
}

function bundlesOf({ parameters, role, root }: Form): readonly Bundle[] {
  const names = new Set(role.bundles?.map(compactName));
  return parameters
    .filter(({ name }) => names.has(compactName(name)))
    .flatMap(({ name, schema }) =>
      readingsOf(schema, root)
        .flatMap((list) => readingsOf(list.items, root))
        .filter((items) => isObject(items.properties))
        .map((items) => ({ name, items })),
    );
}

function fallbackFor(form: Form, parameter: Parameter): Json | undefined {
  const { root, wanted } = form;
  const { name, schema } = parameter;
  const meant = slotEntries(wanted.ifRequired ?? {}).filter(([slot]) => parametersFor(form, slot).includes(parameter));
  for (const [slot, meantValue] of meant) {
    const value = fitSlotValue(slot, meantValue, parameter, root);
    if (value !== undefined) return value;
  }
  // No other value is safe for such a parameter: an editor's only command may be one that deletes.
  if (meant.length > 0) return takesNull(schema, root) ? null : undefined;
  if (descriptive.has(compactName(name))) {
    const sentence = fitValue(wanted.purpose, schema, root);
    if (sentence !== undefined) return sentence;
  }
  if (takesNull(schema, root)) return null;
  const preset = readingsOf(schema, root).find((reading) => isJson(reading.default))?.default;
  return isJson(preset) ? preset : onlyValue(schema, root);
}

function parametersFor({ parameters, role }: Form, slot: Slot): readonly Parameter[] {
  const words = role.parameters[slot] ?? [];
  return words.flatMap((word) => parameters.filter(({ name }) => compactName(name) === compactName(word)));
}

function slotEntries(values: SlotValues): [Slot, Json | OneOf][] {
  return Object.entries(values).flatMap(([slot, value]) => (value === undefined ? [] : [[slot as Slot, value]]));
}
