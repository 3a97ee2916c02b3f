import { describe, expect, it } from "vitest";
import { ErrorDetails_Error as E } from "../../gen/aiserver_v1_pb.js";
import { endFrame } from "./error.cases.js";
import { freeTextErrors, providerErrors, verdictByError } from "./error-table.js";
import { toGatewayError } from "./errors.js";
import { parseEndFrame } from "./failure.js";

const connectCodes = ["unauthenticated", "permission_denied", "resource_exhausted", "invalid_argument", "internal"];
const numbered = Object.entries(E).map(([name, number]) => ({ name, number }));

function classify(json: string) {
  const failure = parseEndFrame(json);
  if (failure === undefined) throw new Error("the frame tells of no failure");
  const { code, isRetryable } = toGatewayError(failure);
  return { code, isRetryable };
}

/** The forms in which Cursor sends one error: as bytes, as JSON beside them, and as JSON alone. */
function formsOf(name: string, number: E, code: string): string[] {
  const full = JSON.parse(endFrame({ code, error: number, title: "A title" }));
  const [detail] = full.error.details;
  const debug = { ...(number !== 0 && { error: `ERROR_${name}` }), details: { title: "A title" } };
  const details = [detail, { ...detail, debug }, { type: detail.type, debug }];
  return details.map((each) => JSON.stringify({ error: { ...full.error, details: [each] } }));
}

it("has no error in two ways", () => {
  const named = [...verdictByError.keys(), ...providerErrors, ...freeTextErrors];
  expect(named.filter((number, index) => named.indexOf(number) !== index)).toEqual([]);
});

it.each([...verdictByError])("number %i means the same whatever the status beside it", (error, { code }) => {
  const frames = connectCodes.map((status) => endFrame({ code: status, error: error as E, title: "T" }));
  expect(new Set(frames.map((frame) => classify(frame).code))).toEqual(new Set([code]));
});

describe.each(numbered)("error $number, $name", ({ name, number }) => {
  it("means the same in every form", () => {
    for (const code of connectCodes) {
      const [first, ...others] = formsOf(name, number, code).map(classify);
      expect(others, code).toEqual([first, first]);
    }
  });

  it("is not tried again when Cursor says so", () => {
    const final = endFrame({ code: "unavailable", error: number, title: "T", isRetryable: false });
    expect(classify(final).isRetryable).toBe(false);
  });

  it("is an outdated client under that title", () => {
    const outdated = endFrame({ code: "internal", error: number, title: "Update Required" });
    expect(classify(outdated).code).toBe("client_outdated");
  });
});
