import { describe, expect, it } from "vitest";
import { text, thinking } from "../../../../testing/samples/sample-turns.js";
import type { Batch, FinishReason, TurnEvent } from "../../turn/event.js";
import { digest, slicings } from "../quirks/slicings.cases.js";
import { AnswerFormats } from "./answer-formats.js";
import { FormatKeeper } from "./format-keeper.js";

const check = new AnswerFormats().checkOf({ type: "json" });
const thought = thinking("hm");
const finish = (reason: FinishReason): TurnEvent => ({ type: "finish", reason });
const call = (runs: "client" | "backend"): TurnEvent => ({ type: "call", id: "1", name: "read", runs });

describe("an answer that must fit", () => {
  it("is held until it is complete, however it is batched, and sent without the text around it", () => {
    for (const slices of slicings('Here: {"a":[1,2]} Bye.')) {
      const keeper = new FormatKeeper(check);
      for (const delta of slices) expect(keeper.push([text(delta)])).toEqual([]);
      expect(keeper.push([finish("stop")])).toEqual([text('{"a":[1,2]}'), finish("stop")]);
      expect(keeper.fault).toBeUndefined();
    }
  });

  it("is withheld if it does not fit, and its fault is reported", () => {
    const keeper = new FormatKeeper(check);
    expect(keeper.push([text("{"), finish("stop")])).toEqual([finish("stop")]);
    expect(keeper.fault).toContain("not complete");
  });

  it("does not hold back thinking, nor calls that run elsewhere", () => {
    const keeper = new FormatKeeper(check);
    const batch: Batch = [thought, call("backend")];
    expect(keeper.push(batch)).toBe(batch);
    expect(keeper.push([text("{"), thought, text("}")])).toEqual([thought]);
  });

  it.each(["length", "filtered"] as const)("is sent unchanged if it was cut off (%s)", (reason) => {
    const keeper = new FormatKeeper(check);
    expect(keeper.push([text('{"a":'), finish(reason)])).toEqual([text('{"a":'), finish(reason)]);
    expect(keeper.fault).toBeUndefined();
  });

  it("is not expected yet when the reply ends in calls", () => {
    const keeper = new FormatKeeper(check);
    const events = [text("Let me "), text("see."), call("client"), text("!"), finish("tool-calls")];
    expect(digest(events.flatMap((event) => keeper.push([event])))).toMatchObject({
      text: "Let me see.!",
      order: ["text", "call", "text", "finish"],
    });
    expect(keeper.fault).toBeUndefined();
  });

  it("is held up to a limit", () => {
    const keeper = new FormatKeeper(check);
    const part = text(" ".repeat(1024 * 1024));
    for (let count = 0; count < 20; count++) keeper.push([part]);
    keeper.push([text("{}"), finish("stop")]);
    expect(keeper.fault).toBe("it is too long");
  });
});
