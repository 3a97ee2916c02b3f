import { describe, expect, it } from "vitest";
import { describeModels } from "./models.js";

const opus = { id: "opus", name: "Opus", reasoning: true, attachment: true, efforts: ["low", "high"] };

describe("models for OpenCode", () => {
  it("have the variants that the model has, and none that OpenCode would add", () => {
    const { variants } = describeModels([opus]).opus ?? {};
    expect(variants).toMatchObject({ low: { reasoningEffort: "low" }, high: { reasoningEffort: "high" } });
    expect(variants).toMatchObject({ medium: { disabled: true }, minimal: { disabled: true } });
  });

  it("come twice where max mode reads more", () => {
    const models = describeModels([{ ...opus, context_window: 200_000, max_mode_context_window: 1_000_000 }]);
    expect(models.opus?.limit.context).toBe(200_000);
    expect(models["opus:max"]).toMatchObject({ name: "Opus (max mode)", limit: { context: 1_000_000 } });
  });

  it("take images only where the model sees them", () => {
    expect(describeModels([opus]).opus?.modalities.input).toContain("image");
    expect(describeModels([{ ...opus, attachment: false }]).opus?.modalities.input).toEqual(["text"]);
  });
});
