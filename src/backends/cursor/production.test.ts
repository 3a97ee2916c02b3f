import { expect, it } from "vitest";
import { schema } from "../../config/schema.js";
import { PRODUCTION_BACKEND } from "./production.js";

it("is where calls go by default: only then do runs and the documented API have hosts of their own", () => {
  expect(schema.backendUrl.default).toBe(PRODUCTION_BACKEND);
});
