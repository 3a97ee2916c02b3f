import { families, type ModelFamily } from "../../server/catalogue.js";
import { findModel, type ListedModel } from "../models.js";
import { INVALID_PARAMS, RpcError } from "./peer.js";

const modes = [
  { id: "agent", name: "Agent" },
  { id: "plan", name: "Plan" },
  { id: "ask", name: "Ask" },
] as const;

/** Mode, model and model parameters, as a session shows them and a client changes them. */
export class Settings {
  readonly #models: readonly ListedModel[];
  /** Whether the client wants base ids with an option for each parameter. */
  readonly #isParameterized: boolean;
  #mode: string;
  #model: ListedModel;

  constructor(models: readonly ListedModel[], model: ListedModel, mode: string, isParameterized: boolean) {
    this.#models = models;
    this.#model = model;
    this.#mode = mode;
    this.#isParameterized = isParameterized;
  }

  get isReadOnly(): boolean {
    return this.#mode !== "agent";
  }

  setMode(id: string): void {
    if (!modes.some((mode) => mode.id === id)) throw new RpcError(INVALID_PARAMS, `Unknown mode: ${id}`);
    this.#mode = id;
  }

  /** Takes only the ids of ACP: those that `models` prints are unknown here. */
  setModel(id: string): void {
    const model = this.#models.find(({ bracketed }) => bracketed === id);
    if (model === undefined) throw new RpcError(INVALID_PARAMS, `Invalid model value: ${id}`);
    this.#model = model;
  }

  setOption(id: string, value: string): void {
    if (id === "mode") this.setMode(value);
    else if (id !== "model") this.#setParameter(id, value);
    else if (this.#isParameterized) this.#setFamily(value);
    else this.setModel(value);
  }

  #setParameter(id: string, value: string): void {
    const family = this.#family();
    if (!this.#isParameterized || family?.parameters.find((each) => each.id === id)?.values.includes(value) !== true) {
      throw new RpcError(INVALID_PARAMS, `Invalid value for ${id}: ${value}`);
    }
    const wanted = { ...this.#variant()?.values, [id]: value };
    const variant = family.variants.find(({ values }) => Object.entries(wanted).every(([key, v]) => values[key] === v));
    this.#model = findModel(this.#models, variant?.slug ?? "") ?? this.#model;
  }

  show(): object {
    const availableModels = this.#models.map(({ bracketed, name }) => ({ modelId: bracketed, name }));
    return {
      modes: { currentModeId: this.#mode, availableModes: modes },
      models: { currentModelId: this.#model.bracketed, availableModels },
      configOptions: this.options(),
    };
  }

  options(): object[] {
    const modeValues = modes.map(({ id, name }) => ({ value: id, name }));
    const models = this.#isParameterized
      ? families.map(({ id, displayName }) => ({ value: id, name: displayName }))
      : this.#models.map(({ bracketed, name }) => ({ value: bracketed, name }));
    const model = this.#isParameterized ? (this.#family()?.id ?? "") : this.#model.bracketed;
    return [
      select("mode", "Mode", "mode", this.#mode, modeValues),
      select("model", "Model", "model", model, models),
      ...(this.#isParameterized ? this.#parameters() : []),
    ];
  }

  #parameters(): object[] {
    return (this.#family()?.parameters ?? []).map(({ id, name, values }) => {
      const category = id === "effort" || id === "reasoning" ? "thought_level" : "model_config";
      const choices = values.map((value) => ({ value, name: value }));
      return select(id, name, category, this.#variant()?.values[id] ?? "", choices);
    });
  }

  #setFamily(id: string): void {
    const model = families.some((family) => family.id === id) ? findModel(this.#models, id) : undefined;
    if (model === undefined) throw new RpcError(INVALID_PARAMS, `Invalid model value: ${id}`);
    this.#model = model;
  }

  #family(): ModelFamily | undefined {
    return families.find(({ id }) => this.#model.bracketed.startsWith(`${id}[`));
  }

  #variant(): ModelFamily["variants"][number] | undefined {
    const slug = this.#model.id === "auto" ? "default" : this.#model.id;
    return this.#family()?.variants.find((variant) => variant.slug === slug);
  }
}

function select(id: string, name: string, category: string, currentValue: string, options: readonly object[]): object {
  return { id, name, category, type: "select", currentValue, options };
}
