import type { Model } from "@curlew/gateway/backends/backend.js";
import { effortsOf, shownName } from "@curlew/gateway/models/index.js";
import { harmlessLine } from "@curlew/gateway/system/shown-on.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Prices } from "@curlew/meter/prices/prices.js";
import { z } from "zod";
import { StartError } from "../../app/prepare/start-error.js";
import { runningGateway } from "../../app/running-gateway.js";
import { withGateway } from "../../app/with-gateway.js";
import type { Settings } from "../../config/settings.js";
import { type GatewayAddress, type SetupModel, USUAL_CONTEXT_TOKENS } from "../../setup/client.js";
import type { CommandMachine, Output } from "../../terminal/command-machine.js";
import { CommandFailure } from "../../terminal/print.js";
import { PromptCanceled, promptStyle } from "../../terminal/prompts.js";

/** A gateway that has no list yet asks Cursor for it first. */
const ANSWER_MS = 10_000;
/** Far more than an account has; a longer list comes from another program. */
const MAX_MODELS = 1_000;

export interface AccountModels {
  readonly isGatewayUp: boolean;
  readonly remedy: string;
  /** In Cursor's order; undefined if neither the gateway nor Cursor could be asked. */
  readonly models: readonly SetupModel[] | undefined;
  readonly named: SetupModel | undefined;
}

interface Question {
  readonly settings: Settings;
  readonly named?: string | undefined;
  /** Whether Cursor may be asked with the credential of this machine, if no gateway answers. */
  readonly mayAskCursor: boolean;
}

/** Asks the gateway at this address, or else Cursor itself. @throws {CommandFailure} There is no model of that name. */
export async function accountModels(
  address: GatewayAddress,
  { stderr }: Pick<CommandMachine, "stderr">,
  question: Question,
): Promise<AccountModels> {
  const isGatewayUp = (await runningGateway(address.url)) !== undefined;
  const remedy = "Run this again while the gateway is running.";
  const nothing = { isGatewayUp, remedy, models: undefined, named: undefined };
  const answer = isGatewayUp ? await askGateway(address, question.named) : undefined;
  if (answer !== undefined) return { ...nothing, ...answer };
  return question.mayAskCursor ? { ...nothing, ...(await askCursor(question, stderr)) } : nothing;
}

const ListedModel = z.looseObject({
  id: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  context_window: z.int().positive().optional(),
  reasoning: z.boolean().default(true),
  attachment: z.boolean().default(true),
  efforts: z.array(z.string()).default([]),
});
const ModelList = z.looseObject({ data: z.array(ListedModel).max(MAX_MODELS) });
const ApiError = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string().max(2_000) }) });

async function askGateway(address: GatewayAddress, named: string | undefined) {
  try {
    const list = await askJson(address, "/v1/models");
    const models = ModelList.parse(list.body).data.map((each) => toSetupModel(each));
    if (named === undefined) return { models, named };
    const one = await askJson(address, `/v1/models/${encodeURIComponent(named)}`);
    if (one.status === 404) refuse(ApiError.parse(one.body).error.message);
    return { models, named: toSetupModel(ListedModel.parse(one.body), named) };
  } catch (thrown) {
    if (thrown instanceof CommandFailure) throw thrown;
    return undefined; // too slow, or not a gateway's answer: the client can still be set up
  }
}

export async function askJson({ url, key }: GatewayAddress, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: "error",
  });
  return { status: response.status, body: await response.json() };
}

function toSetupModel(model: z.infer<typeof ListedModel>, id = model.id): SetupModel {
  const { name = model.id, context_window: contextTokens = USUAL_CONTEXT_TOKENS, efforts } = model;
  return { id, name, contextTokens, canReason: model.reasoning, canSeeImages: model.attachment, efforts };
}

async function askCursor({ settings, named }: Question, stderr: Output): Promise<Partial<AccountModels>> {
  try {
    return await withGateway({ ...settings, logLevel: "silent" }, stderr, async ({ gateway }) => {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const models = (await gateway.models(signal)).map((model) => fromCatalogue(model));
      const one = named === undefined ? undefined : fromCatalogue(await gateway.model(named, signal), named);
      return { models, named: one };
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "model_not_found") refuse(thrown.message);
    const isSignedOut = thrown instanceof StartError && thrown.code === "credential_missing";
    return { remedy: isSignedOut ? "Sign in with curlew login, then run this again." : "See why: curlew status" };
  }
}

function fromCatalogue(model: Model, id = shownName(model)): SetupModel {
  const { name, contextTokens = USUAL_CONTEXT_TOKENS, canThink, canSeeImages = false } = model;
  return { id, name, contextTokens, canReason: canThink, canSeeImages, efforts: effortsOf(model) };
}

function refuse(message: string): never {
  throw new CommandFailure(2, `--model: ${message}`);
}

const SHOWN_AT_ONCE = 12;

/** Asks which model a client should use; typing narrows the list. @throws {PromptCanceled} The user cancels. */
export async function pickModel(
  machine: CommandMachine,
  models: readonly SetupModel[],
  prices: Prices,
  { message = "Which model?", current }: { message?: string; current?: SetupModel | undefined } = {},
) {
  const { autocomplete, isCancel } = await import("@clack/prompts");
  const offered = models.some(({ id }) => id === current?.id) ? models : [current ?? [], models].flat();
  const width = Math.max(...offered.map(({ id }) => harmlessLine(id).length));
  const answer = await autocomplete({
    message,
    options: offered.map((model) => ({
      value: model.id,
      label: labelOf(model, width, prices),
      hint: model.id === "auto" ? "Cursor chooses" : harmlessLine(model.name),
    })),
    maxItems: SHOWN_AT_ONCE,
    ...(current !== undefined && { initialValue: current.id }),
    ...promptStyle(machine),
  });
  const picked = isCancel(answer) ? undefined : offered.find(({ id }) => id === answer);
  if (picked === undefined) throw new PromptCanceled("Nothing was written.");
  return picked;
}

/** `composer-2.5  200k  $0.5 in, $2.5 out per 1M`: the window, and dollars for a million tokens. */
function labelOf({ id, contextTokens }: SetupModel, width: number, prices: Prices): string {
  if (id === "auto") return id;
  const price = prices.priceOf(id);
  const size = `${Math.round(contextTokens / 1_000)}k`.padStart(5);
  const cost = price === undefined ? "" : `$${price.input} in, $${price.output} out per 1M`;
  return `${harmlessLine(id).padEnd(width)} ${size}  ${cost}`.trimEnd();
}
