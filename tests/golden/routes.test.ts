import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import { NormalForm } from "./normal-form.js";
import { recordedRoutes, type StoredIds, storedInput } from "./routes.js";

let system: WholeSystem;
let stored: StoredIds;
beforeAll(async () => {
  system = await startWholeSystem({}, { retries: 0 });
  const create = async (path: string, fields: object) => {
    const response = await ask(path, fields);
    return ((await response.json()) as { id: string }).id;
  };
  const respond = (fields: object) => create("/v1/responses", { model: "auto", ...fields });
  const id = await respond({ input: storedInput });
  const emptyId = await respond({ input: [], previous_response_id: id });
  const conversation = await create("/v1/conversations", {});
  await respond({ conversation, input: storedInput });
  stored = { id, emptyId, conversation };
});
afterAll(() => system.close());

function ask(path: string, body?: object, method = body === undefined ? "GET" : "POST", headers = {}) {
  return fetch(system.url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** `npx vitest run tests/golden/routes -u` records again; `recordings.test.ts` validates the recordings. */
describe("a recorded route", () => {
  it.each(recordedRoutes)("$name", async ({ name, isFixed = false, ask: asked }) => {
    const { path, body: sent, method, isAnthropic } = asked(stored);
    const response = await ask(path, sent, method, isAnthropic && { "anthropic-version": "2023-06-01" });
    const contentType = response.headers.get("content-type");
    const json = JSON.parse(await response.text());
    const body = isFixed ? json : new NormalForm().json(json);
    const text = `${JSON.stringify({ status: response.status, contentType, body }, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`${import.meta.dirname}/routes/${name}.json`);
  });
});
