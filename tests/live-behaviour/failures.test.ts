import { describe, expect, it } from "vitest";
import { verdictByError } from "../../packages/gateway/backends/cursor/error-table.js";
import { GatewayError } from "../../packages/gateway/turn/error.js";
import { startWholeSystem } from "../../testing/gateway/whole-system.js";
import { sampleProfile } from "../../testing/samples/sample-profile.js";
import { startedOnce } from "../../testing/started.js";
import { Failed, packages } from "./talk.js";

/** Rate limits pass with time, and a refused token may be replaced. */
const mayBeMended: ReadonlySet<string> = new Set(["rate-limit", "authentication"]);

interface Failure {
  readonly name: string;
  readonly model: string;
  readonly words: string;
}

const byNumber = [...verdictByError]
  .filter(([, { code, retry }]) => retry === "never" && !mayBeMended.has(new GatewayError(code, "").kind))
  .map(([number, { code }]) => ({ name: `${code} (error ${number})`, model: `raw/sim-error-${number}`, words: "hi" }));

const byCode = ["invalid_argument", "not_found", "permission_denied", "failed_precondition", "out_of_range"].map(
  (code) => ({ name: `a bare ${code}`, model: "auto", words: `[[fail ${code}]]` }),
);

const failures: readonly Failure[] = [
  ...byNumber,
  ...byCode,
  { name: "a request that the provider refuses", model: "raw/sim-error-57.provider400", words: "hi" },
  { name: "an outdated client, under another number", model: "raw/sim-error-25.update", words: "hi" },
  {
    name: "a plan that allows Auto alone",
    model: "auto",
    words: "[[fail resource_exhausted RATE_LIMITED_CHANGEABLE]]",
  },
  { name: "an error that says that a retry is pointless", model: "raw/sim-error-63-unavailable.final", words: "hi" },
];

/** Curlew can ask for the model in two shapes, and this account accepts neither. */
const otherShape = { modelIds: "base", modelIdError: "not-found" } as const;

describe.each(Object.entries(packages))("with %s and its own retries, one run is made for", (_name, talkTo) => {
  // As the newest client that Curlew speaks, none is tried after it.
  const system = startedOnce(() => startWholeSystem({}, { clientVersion: sampleProfile.clients.sdk.version }));

  it.each(failures)("$name", async ({ model, words }) => {
    const { runs } = system.simulator.stats();
    const failed = await talkTo(system.url, { model })
      .say(words)
      .catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(Failed);
    expect(failed).toMatchObject({ status: expect.any(Number), message: expect.stringMatching(/\w/) });
    expect(system.simulator.stats().runs).toBe(runs + 1);
  });

  it("and two for a limit that calls the client outdated (error 28): one back-off shows which it is", async () => {
    const { runs } = system.simulator.stats();
    const asking = talkTo(system.url).say("[[fail resource_exhausted GPT_4_VISION_PREVIEW_RATE_LIMIT]]");
    await expect(asking).rejects.toMatchObject({ status: 502, code: "client_outdated" });
    expect(system.simulator.stats().runs).toBe(runs + 2);
  });

  it("and two for a name that is refused in both shapes", async () => {
    system.simulator.configure(otherShape);
    const { runs } = system.simulator.stats();
    const person = talkTo(system.url, { model: "claude-fable-5:medium" });
    await expect(person.say("hi")).rejects.toBeInstanceOf(Failed);
    expect(system.simulator.stats().runs).toBe(runs + 2);
  });
});
