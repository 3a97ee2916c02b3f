import { isDeepStrictEqual } from "node:util";
import type { Machine } from "../../config/machine.js";
import { type Client, chosenModel, type Target, targetOf } from "../../setup/client.js";
import { plainObject } from "../../setup/merge.js";
import type { AccountModels } from "./account-models.js";
import { isInstalled } from "./client-location.js";

/** What stands between this setup and an answer, each with what to do about it. */
export function setupWarnings(client: Client, target: Target, known: AccountModels, machine: Machine): string[] {
  return [
    ...(isInstalled(client, machine) ? [] : notInstalled(client)),
    ...modelWarnings(client, target, known),
    ...(known.wantsKey
      ? [`The gateway at ${target.url} asks for a key. Give it with --key-file FILE or in CURLEW_KEY.`]
      : []),
  ];
}

/** The last step to an answer, if it is still to be done; the notes about the client itself name the others. */
export function gatewayWarning({ url }: Target, { isGatewayUp }: AccountModels): string[] {
  return isGatewayUp ? [] : [`No gateway answers at ${url}. Start it: curlew`];
}

/** Why a client cannot be started, and how to install it; empty for those that are no program. */
export function notInstalled({ title, command, install }: Client): string[] {
  if (command === undefined) return [];
  const how = install === undefined ? "" : ` ${install.startsWith("https:") ? "See" : "Install it"}: ${install}`;
  return [`${title} is not installed, or ${command} is not on the PATH.${how}`];
}

function modelWarnings(client: Client, target: Target, { models, wantsKey, remedy }: AccountModels): string[] {
  if (models !== undefined || wantsKey) return [];
  const { model } = target;
  const guess = sizeMatters(client, target)
    ? `, and ${target.contextTokens.toLocaleString("en-US")} tokens of context are assumed`
    : "";
  const what = model === "auto" ? "only auto is written" : `${model} is not checked${guess}`;
  return [`The models of your account are not known, so ${what}. ${remedy}`];
}

/** Whether the client's settings depend on the size of the model's context. */
function sizeMatters({ file }: Client, target: Target): boolean {
  if (file === undefined) return false;
  const model = chosenModel(target);
  const larger = targetOf(target, { ...model, contextTokens: model.contextTokens + 1 });
  return !isDeepStrictEqual(plainObject(file.wanted(targetOf(target, model))), plainObject(file.wanted(larger)));
}
