import { expect, it } from "vitest";
import { scriptedBackend, userTurn } from "../../testing/backends/scripted/index.js";
import { gatewaySettings, makeGateway } from "../../testing/gateway/make-gateway.js";
import { runContext, stopped, text } from "../../testing/samples/sample-turns.js";
import { collect } from "../turn/collect.js";

async function textsOf(answer: string, ledgerTexts: boolean) {
  const backend = scriptedBackend({ steps: [[text(answer)], [text(" indeed"), stopped]] });
  const gateway = makeGateway(backend, { settings: { ...gatewaySettings, ledgerTexts } });
  const context = runContext();
  await collect((await gateway.run(userTurn("hi"), context)).events);
  return context.record.texts;
}

it("keeps no texts unless the owner wants it", async () => {
  expect(await textsOf("hello", false)).toBeUndefined();
});

it("keeps what was asked and answered, up to a limit", async () => {
  expect(await textsOf("hello", true)).toEqual({ asked: "hi", answered: "hello indeed" });
  expect((await textsOf("x".repeat(10_000), true))?.answered).toHaveLength(4_000);
});
