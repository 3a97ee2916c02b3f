import type { Model } from "@curlew/gateway/backends/backend.js";
import type { Gateway } from "@curlew/gateway/core/index.js";
import { shownName } from "@curlew/gateway/models/index.js";
import { contextText } from "@curlew/gateway/system/format.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { withGateway } from "../app/with-gateway.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { colorsFor, report } from "../terminal/print.js";
import { startSpinner } from "../terminal/spinner.js";
import { columnsOf, table } from "../terminal/table.js";
import { defineCommand, flag } from "./line/definition.js";

const LIST_TIMEOUT_MS = 30_000;

export const models = defineCommand({
  examples: [
    ["curlew models", "list what your plan has"],
    ["curlew models --json", "the same for scripts"],
  ],
  args: {
    json: flag("Print JSON"),
    ...settingArgs(upstreamSettings),
  },
  async run({ args, machine }) {
    const { settings } = loadFrom(args, machine);
    const asked = withGateway(settings, machine.stderr, ({ gateway }) => newestList(gateway));
    const { models: found, note } = await asked.finally(startSpinner(machine, "Asking Cursor for its models"));
    if (note !== undefined) machine.stderr.write(`${note}\n`);
    report(
      machine.stdout,
      found,
      args.json,
      (shown) => modelTable(shown, machine),
      (all) => all.map(toJson),
    );
  },
});

/** The current list or, if Cursor cannot be reached, the last known one. */
async function newestList(gateway: Gateway): Promise<{ models: readonly Model[]; note?: string }> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    return { models: await gateway.models(signal, { isFresh: true }) };
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind === "authentication") throw thrown;
    const note = "Cursor cannot be reached now; this is its last known list.";
    return { models: await gateway.models(signal), note };
  }
}

/** A model as JSON. Properties that Cursor did not report are undefined, and so left out. */
function toJson(model: Model) {
  const { name, aliases, canThink, contextTokens, maxContextTokens, canSeeImages, canMax, parameters } = model;
  const reported = { contextTokens, maxContextTokens, canSeeImages, canMax, parameters };
  return { id: shownName(model), name, aliases, canThink, ...reported };
}

function modelTable(list: readonly Model[], { stdout, env }: CommandMachine): string {
  const rows = list.map((model) => [
    shownName(model),
    model.name,
    model.aliases.filter((alias) => alias !== shownName(model)).join(", "),
    contextCell(model),
    [model.canThink && "reasoning", model.canSeeImages && "vision", model.canMax && "max"].filter(Boolean).join(", "),
    (model.parameters ?? []).map(({ id, values }) => `${id} ${values.join("|")}`).join(", "),
  ]);
  const { dim } = colorsFor(stdout, env);
  const names = ["ID", "NAME", "ALIASES", "CONTEXT", "CAN", "PARAMETERS"];
  // A narrow terminal drops the parameters, then the aliases, then the names.
  return table(names, rows, { dim, width: columnsOf(stdout), spare: [5, 2, 1] });
}

function contextCell({ contextTokens, maxContextTokens }: Model): string {
  if (contextTokens === undefined) return "";
  const hasMore = maxContextTokens !== undefined && maxContextTokens !== contextTokens;
  return hasMore ? `${contextText(contextTokens)}, max ${contextText(maxContextTokens)}` : contextText(contextTokens);
}
