import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { BackendAtWork } from "../../../testing/backends/at-work.js";
import { startContext, userTurn } from "../../../testing/backends/scripted/index.js";
import type { Backend } from "./backend.js";
import { conversationCases } from "./cases/conversation.cases.js";
import { endingCases } from "./cases/ending.cases.js";
import { wordCases } from "./cases/words.cases.js";

const cases = { ...wordCases, ...conversationCases, ...endingCases };

type CaseName = keyof typeof cases;
/** The cases that a backend cannot pass, with the reasons. */
export type Skips = readonly { readonly cases: readonly CaseName[]; readonly reason: string }[];

const caseNames = Object.keys(cases) as CaseName[];

export interface BackendUnderTest {
  backend: Backend;
  stop(): Promise<void> | void;
}

export interface BackendSamples {
  /** The upstream obeys the simulated model's directives (`[[say ...]]` and so on). Failures are not retried. */
  start(): Promise<BackendUnderTest> | BackendUnderTest;
  /** The same, with an upstream that cuts its bytes in the middle of characters. */
  startCut?(): Promise<BackendUnderTest> | BackendUnderTest;
  skips: Skips;
}

/** What every backend must do. */
export function describeBackend(name: string, { start, startCut, skips }: BackendSamples): void {
  describe(`${name} as a backend`, () => {
    let tested: BackendUnderTest;
    const cut: BackendUnderTest[] = [];
    let started = 0;

    beforeAll(async () => {
      tested = await start();
    });
    afterEach(async () => {
      for (const { stop } of cut.splice(0)) await stop();
    });
    afterAll(() => tested?.stop());

    const startOn =
      (backend: Backend): BackendAtWork["start"] =>
      (asked, context) => {
        const turn = typeof asked === "string" ? userTurn(asked) : asked;
        return backend.start(
          turn,
          startContext({ requestId: `case-${started++}`, conversationId: name, callable: turn.tools, ...context }),
        );
      };

    it.for(caseNames)("%s", async (each, { skip }) => {
      const reason = skips.find(({ cases }) => cases.includes(each))?.reason;
      if (reason !== undefined) {
        expect(reason.length, "a reason for the skip").toBeGreaterThan(20);
        return skip(reason);
      }
      const at: BackendAtWork = {
        backend: tested.backend,
        start: startOn(tested.backend),
        async startCut(text) {
          expect(startCut, "a way to cut what the upstream sends").toBeDefined();
          const other = await startCut?.();
          if (other === undefined) throw new Error("not reached");
          cut.push(other);
          return startOn(other.backend)(text);
        },
      };
      await cases[each](at);
    });
  });
}
