import { didYouMean } from "@curlew/gateway/system/closest.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { trimEndOf } from "@curlew/gateway/turn/fits-wildcard.js";
import { createPrices, type Prices } from "@curlew/meter/prices/prices.js";
import { localUrl } from "../../app/start/listen.js";
import type { Settings } from "../../config/settings.js";
import { keptModel } from "../../setup/change.js";
import {
  assumedModel,
  type Client,
  type GatewayAddress,
  type SetupModel,
  type Target,
  targetOf,
  USUAL_CONTEXT_TOKENS,
} from "../../setup/client.js";
import { clients, findClient } from "../../setup/clients.js";
import { CommandFailure } from "../../terminal/print.js";
import { type Given, option } from "../line/definition.js";
import { setupRecords } from "./client-key.js";
import { fileOf } from "./client-location.js";

/** The flags for the target of a client. The key is not a flag, because others can read command lines. */
export const targetArgs = {
  url: option("url", "Address of the gateway, if not the one in your settings"),
  model: option("name", "Model for the client to use (default auto)"),
} as const;

/** The gateway at `--url`, or else the one in the settings. @throws {CommandFailure} `--url` cannot be used. */
export function addressFrom({ url }: Given, { host, port, key }: Settings): GatewayAddress {
  return { url: typeof url === "string" ? gatewayUrl(url) : localUrl(host, port), key };
}

const MODEL = /^[^\s\p{Control}"'\\]{1,200}$/u;

export function modelFrom({ model }: Given): string | undefined {
  if (typeof model !== "string") return undefined;
  if (!MODEL.test(model)) throw new CommandFailure(2, "--model must be the name of a model.");
  return model;
}

/** The model that the client has from an earlier setup. */
export function modelKept(client: Client, machine: Machine, givenFile?: string): string | undefined {
  const file = fileOf(client, machine, givenFile);
  const kept = file && client.file && keptModel(file, client.file, setupRecords(machine));
  return kept !== undefined && MODEL.test(kept) ? kept : undefined;
}

/** @param chosen a model, or only its name if nothing else is known; by default, Cursor chooses */
export function targetFor(
  address: GatewayAddress,
  models: readonly SetupModel[] = [],
  chosen: SetupModel | string = "auto",
  settings: Settings,
): Target {
  const prices = createPrices(settings.prices);
  const model = typeof chosen === "string" ? (models.find(({ id }) => id === chosen) ?? assumedModel(chosen)) : chosen;
  const priced = (each: SetupModel) => ({ ...each, price: prices.priceOf(each.id) });
  if (models.length === 0) return targetOf(address, priced(model));
  const smallModel = smallModelFor(model, models, prices);
  return targetOf(address, priced(model), { models: models.map(priced), smallModel });
}

export function clientNamed(name: string): Client {
  const client = findClient(name);
  if (client !== undefined) return client;
  const names = clients.map((each) => each.name);
  const hint = didYouMean(name, names) || ` Available: ${names.join(", ")}.`;
  throw new CommandFailure(2, `Unknown client ${JSON.stringify(name)}.${hint}\nSee: curlew setup`);
}

/** Accepts the address with or without `/v1`. */
function gatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (!isUsable) throw new CommandFailure(2, "--url must be an address such as http://127.0.0.1:32124");
  return trimEndOf(`${url.origin}${url.pathname}`, "/").replace(/\/v1$/, "");
}

/** Titles and summaries read much more than they write. */
const INPUT_WEIGHT = 3;

/** The model for small work: the cheapest that costs no more than the chosen one and reads as much, or 200,000 tokens; else `auto`. */
export function smallModelFor(chosen: SetupModel, models: readonly SetupModel[], prices: Prices): string {
  if (chosen.id === "auto") return "auto";
  const priceOf = ({ id }: SetupModel) => {
    const price = prices.priceOf(id);
    return price === undefined ? Number.POSITIVE_INFINITY : INPUT_WEIGHT * price.input + price.output;
  };
  const minTokens = Math.min(chosen.contextTokens, USUAL_CONTEXT_TOKENS);
  const [cheapest] = models
    .filter((model) => model.contextTokens >= minTokens && priceOf(model) <= priceOf(chosen))
    .filter((model) => priceOf(model) < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => priceOf(a) - priceOf(b));
  return cheapest?.id ?? "auto";
}
