import { expect, it, describe as suite } from "vitest";
import { offeredModels } from "./plugin-gateway.js";
import { describe } from "./version-1.js";

const opus = { id: "opus", name: "Opus", reasoning: true, attachment: true, efforts: ["low", "high"] };

suite("models for OpenCode", () => {
  it("come twice if max mode has a larger context", () => {
    const models = offeredModels({ data: [{ ...opus, context_window: 200_000, max_mode_context_window: 1_000_000 }] });
    expect(models).toMatchObject([
      { id: "opus", limit: { context: 200_000 } },
      { id: "opus:max", name: "Opus (max mode)", limit: { context: 1_000_000 } },
    ]);
  });

  it("take images only if the model sees them", () => {
    expect(offeredModels({ data: [opus] })[0]?.reads).toContain("image");
    expect(offeredModels({ data: [{ ...opus, attachment: false }] })[0]?.reads).toEqual(["text"]);
  });

  it("have only the model's own variants in OpenCode 1, and none that it would add", () => {
    const [variants] = offeredModels({ data: [opus] }).map((model) => describe(model).variants);
    expect(variants).toMatchObject({ low: { reasoningEffort: "low" }, high: { reasoningEffort: "high" } });
    expect(variants).toMatchObject({ medium: { disabled: true }, minimal: { disabled: true } });
  });
});
