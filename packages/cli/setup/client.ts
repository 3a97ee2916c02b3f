import { USUAL_CONTEXT_TOKENS } from "@curlew/gateway/models/assumed-limits.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import type { StoredKey } from "@curlew/meter/keys/index.js";
import type { Price } from "@curlew/meter/prices/prices.js";
import type { Format } from "./formats/format.js";
import type { Wanted } from "./merge.js";
import type { Shell } from "./shells.js";

export { OUTPUT_TOKENS, USUAL_CONTEXT_TOKENS } from "@curlew/gateway/models/assumed-limits.js";

/** A model as clients describe one in their own lists. They know nothing about Cursor's models themselves. */
export interface SetupModel {
  /** The name by which a client asks for it. */
  readonly id: string;
  readonly name: string;
  /** Clients compact conversations based on it. */
  readonly contextTokens: number;
  readonly canReason: boolean;
  readonly canSeeImages: boolean;
  /** The values of the setting for the effort; none if there is no such setting. */
  readonly efforts: readonly string[];
  readonly price?: Price | undefined;
}

export interface GatewayAddress {
  /** Without `/v1`. */
  readonly url: string;
  readonly key: string | undefined;
  /** The same key if it is new: no gateway accepts it before it is stored. */
  readonly newKey?: StoredKey | undefined;
}

export interface Target extends GatewayAddress {
  /** The model that the client asks for unless the user chooses another. */
  readonly model: string;
  readonly contextTokens: number;
  /** The model for titles, summaries and other small work. */
  readonly smallModel: string;
  /** All models that the client should list; `model` is one of them. */
  readonly models: readonly SetupModel[];
}

/** A model of which only the name is known. */
export function assumedModel(id: string): SetupModel {
  return { id, name: id, contextTokens: USUAL_CONTEXT_TOKENS, canReason: true, canSeeImages: true, efforts: [] };
}

type OtherModels = Partial<Pick<Target, "models" | "smallModel">>;

/** @param others further models that the client should list; without any, the chosen one does all the work */
export function targetOf(address: GatewayAddress, chosen: SetupModel, others: OtherModels = {}): Target {
  const { url, key, newKey } = address;
  const { id: model, contextTokens } = chosen;
  const { models = [], smallModel = model } = others;
  const listed = models.some(({ id }) => id === model) ? models : [chosen, ...models];
  return { url, key, newKey, model, contextTokens, smallModel, models: listed };
}

export interface Client {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly command?: string;
  /** The command that installs it, or the page that says how. */
  readonly install?: string;
  /** Whether `npm run test:clients` runs it; otherwise only its documentation was read. */
  readonly isProven: boolean;
  /** The settings that are written, and where; undefined if they are not in a file. */
  readonly file?: ClientFile;
  /** What the settings that nobody would miss are for: each is shown with the change. */
  readonly savings?: readonly string[];
  /** What the user still has to do or know, one thing per entry; command lines are for this shell. */
  notes(target: Target, shell?: Shell): readonly string[];
  /** The same client with Curlew's plugin in that folder instead of a provider; undefined if there is no plugin for it. */
  readonly withPlugin?: (folder: URL) => Client;
  /** The same client, with what the installed program tells about itself. */
  readonly asInstalled?: (program: string, env: Machine["env"]) => Client;
  /** How it is started without writing its settings; undefined if that is not possible. */
  readonly launch?: (target: Target, context: LaunchContext) => Launch;
}

export interface ClientFile extends Content {
  /** The possible paths; the first that exists counts. Relative paths start from the current folder, and are not created. */
  paths(machine: Machine): readonly string[];
  wanted(target: Target): Wanted;
  /** Further files in the same folder, by name. */
  readonly beside?: Readonly<Record<string, Content>>;
}

/** What goes into a file. */
export interface Content {
  readonly format: Format;
  /** Undefined if nothing is written now, but an earlier file is undone. */
  readonly wanted?: ((target: Target) => Wanted) | undefined;
  /** Where it names the model that the client starts with, if it does. */
  readonly modelAt?: readonly string[];
  /** Where it names the model's provider, if not in the model's name. */
  readonly providerAt?: readonly string[];
  /** Shown instead of the change. */
  readonly summary?: string;
}

interface LaunchContext {
  /** Deleted when the client has ended. */
  readonly folder: string;
  readonly env: Machine["env"];
}

interface Launch {
  /** They come before the user's own arguments. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files in the temporary folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export function otherModels({ models, model }: Target): readonly SetupModel[] {
  return models.filter(({ id }) => id !== model);
}

export function chosenModel({ models, model }: Target): SetupModel {
  return models.find(({ id }) => id === model) ?? assumedModel(model);
}

/** Clients want a key even if the gateway requires none: then it only labels the client. */
export function keyFor({ key }: Target, client: string): string {
  return key ?? `curlew-${client}`;
}
