import { ask, type Network } from "../../network/index.js";
import type { CursorProfile } from "../../profile/index.js";
import { field, listField, parseJson, textField } from "../../turn/read-json.js";
import type { ModelFamily } from "./models.js";

interface RestDeps {
  readonly backendUrl: string;
  /** Cursor's own hosts. A backend set by hand, a local one or a staging one serves every call itself. */
  readonly hosts: Pick<CursorProfile["hosts"], "api" | "rest">;
  /** The API key itself: this API takes no exchanged token. */
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly network: Pick<Network, "fetch">;
}

export async function listRestModels(
  { backendUrl, hosts, apiKey, headers, network }: RestDeps,
  signal: AbortSignal,
): Promise<ModelFamily[]> {
  const host = backendUrl === hosts.api ? hosts.rest : backendUrl;
  const { status, body } = await ask(network, new URL("/v1/models", host), {
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
    signal,
  });
  return status === 200 ? listField(parseJson(body.toString("utf8")), "items").flatMap(toFamily) : [];
}

/** Converts one entry of the documented API's list. Unknown shapes are skipped. */
export function toFamily(item: unknown): ModelFamily[] {
  const base = textField(item, "id");
  if (base === "") return [];
  const parameters = listField(item, "parameters").map((each) => ({
    id: textField(each, "id"),
    values: listField(each, "values").map((value) => textField(value, "value")),
  }));
  const variants = listField(item, "variants").map((each) => ({
    name: textField(each, "displayName"),
    parameters: listField(each, "params").map((value) => ({
      id: textField(value, "id"),
      value: textField(value, "value"),
    })),
    isMax: false,
    isDefault: field(each, "isDefault") === true,
  }));
  const aliases = listField(item, "aliases").filter((each) => typeof each === "string");
  return [{ base, aliases, slugs: [], parameters, variants }];
}
