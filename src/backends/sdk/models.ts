import type { Model } from "../backend.js";

/** Parsed leniently: what is not as we know it is left out. */
export function toModels(items: unknown): Model[] {
  return (Array.isArray(items) ? items : []).flatMap(toModel);
}

function toModel(item: unknown): Model[] {
  const id = text(item, "id");
  if (id === "") return [];
  const parameters = list(item, "parameters").map((each) => ({
    id: text(each, "id"),
    values: list(each, "values").map((value) => text(value, "value")),
  }));
  const variants = list(item, "variants").map((each) => ({
    name: text(each, "displayName"),
    parameters: list(each, "params").map((value) => ({ id: text(value, "id"), value: text(value, "value") })),
    isMax: false,
    isDefault: Reflect.get(Object(each), "isDefault") === true,
  }));
  const aliases = list(item, "aliases").filter((each) => typeof each === "string");
  const canThink = parameters.some((each) => /think|reason|effort/i.test(each.id));
  return [{ id, name: text(item, "displayName") || id, aliases, canThink, parameters, variants }];
}

function list(value: unknown, name: string): unknown[] {
  const found = Reflect.get(Object(value), name);
  return Array.isArray(found) ? found : [];
}

function text(value: unknown, name: string): string {
  const found = Reflect.get(Object(value), name);
  return typeof found === "string" ? found : "";
}
