import type { Network } from "../../network/index.js";
import type { ModelFamily } from "./model-family.js";
import { PRODUCTION_BACKEND, PRODUCTION_REST } from "./production.js";

interface RestDeps {
  readonly backendUrl: string;
  /** The key itself: this API takes no exchanged token. */
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly network: Pick<Network, "fetch">;
}

/** The models as Cursor's documented API lists them. */
export async function listRestModels(
  { backendUrl, apiKey, headers, network }: RestDeps,
  signal: AbortSignal,
): Promise<ModelFamily[]> {
  const host = backendUrl === PRODUCTION_BACKEND ? PRODUCTION_REST : backendUrl;
  const response = await network.fetch(new URL("/v1/models", host), {
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
    redirect: "error", // the key goes nowhere else
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    return [];
  }
  return list(await response.json(), "items").flatMap(toFamily);
}

/** One of a list of the documented API's. Parsed leniently: what is not as we know it is left out. */
export function toFamily(item: unknown): ModelFamily[] {
  const base = text(item, "id");
  if (base === "") return [];
  const parameters = list(item, "parameters").map((each) => ({
    id: text(each, "id"),
    values: list(each, "values").map((value) => text(value, "value")),
  }));
  const variants = list(item, "variants").map((each) => ({
    name: text(each, "displayName"),
    parameters: list(each, "params").map((value) => ({ id: text(value, "id"), value: text(value, "value") })),
    isMax: false,
    isDefault: field(each, "isDefault") === true,
  }));
  const aliases = list(item, "aliases").filter((each) => typeof each === "string");
  return [{ base, aliases, slugs: [], parameters, variants }];
}

function list(value: unknown, name: string): unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

function text(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
