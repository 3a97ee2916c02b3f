import { describe, expect, it } from "vitest";
import { assistant, results, user } from "../../../../testing/samples/sample-turns.js";
import { mendTranscript } from "./mend-transcript.js";

describe("calls that never got a result", () => {
  it("get an error result before the next user message", () => {
    const mended = mendTranscript([user("a"), assistant("b", "one", "two"), results("one"), user("c")]);
    expect(mended.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(mended[2]).toMatchObject({ results: [{ callId: "two", isError: true }] });
  });

  it("stay open in the last message", () => {
    const messages = [user("a"), assistant("b", "one")];
    expect(mendTranscript(messages)).toEqual(messages);
  });
});

describe("calls that were sent again", () => {
  const asked = [user("a"), assistant("b", "one", "two", "three")];

  it("appear in the transcript once, followed by all results", () => {
    const inPieces = [results("two"), assistant("", "one", "three"), results("one"), assistant("", "three")];
    expect(mendTranscript([...asked, ...inPieces, results("three"), assistant("c")])).toEqual([
      ...asked,
      results("two", "one", "three"),
      assistant("c"),
    ]);
  });

  it("leave the words beside them", () => {
    const messages = [...asked, results("two", "three"), assistant("Well?", "one"), results("one")];
    expect(mendTranscript(messages)).toEqual([...asked, results("two", "three"), assistant("Well?"), results("one")]);
  });
});

// Quadratic work would take minutes here and run into the test's time limit.
it("joins any number of results that came one by one", () => {
  const count = 200_000;
  const oneByOne = Array.from({ length: count }, (_, index) => [results(String(index)), assistant("", "sent again")]);
  const mended = mendTranscript([user("a"), assistant("", "sent again"), ...oneByOne.flat(), results("sent again")]);
  expect(mended.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(mended[2]).toMatchObject({ results: { length: count + 1 } });
});
