import { expect, it } from "vitest";
import { settingsTable } from "../../config/table.js";
import { PRODUCTION_BACKEND } from "./production.js";

it("is where calls go by default: only then do runs and the documented API have hosts of their own", () => {
  expect(settingsTable.backendUrl.default).toBe(PRODUCTION_BACKEND);
});
