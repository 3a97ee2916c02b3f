import { PassThrough } from "node:stream";
import { WriteStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { canChoose, isPlainTerminal, startSpinner } from "./spinner.js";

/** A stream that appears to be a terminal, or not. */
function streamOf({ isTTY }: { isTTY: boolean }) {
  const pipe = new PassThrough({ encoding: "utf8" });
  const stream: WriteStream = Object.assign(Object.create(WriteStream.prototype), {
    isTTY,
    write: (text: string) => pipe.write(text),
  });
  return { stream, text: () => String(pipe.read() ?? "") };
}

describe("a spinner", () => {
  it("is drawn on a terminal, and erased at its end", () => {
    const { stream, text } = streamOf({ isTTY: true });
    startSpinner("Asking Cursor", stream, false)();
    expect(text()).toBe("\r\u001B[K⠋ Asking Cursor\r\u001B[K");
  });

  it("is only its text on a plain terminal", () => {
    const { stream, text } = streamOf({ isTTY: true });
    startSpinner("Asking Cursor", stream, true)();
    expect(text()).toBe("Asking Cursor\n");
  });

  it("is nothing in a pipe", () => {
    const { stream, text } = streamOf({ isTTY: false });
    startSpinner("Asking Cursor", stream, false)();
    expect(text()).toBe("");
  });
});

describe("a terminal", () => {
  const person = { stdin: { isTTY: true }, stderr: { isTTY: true } };
  it.each([
    [{ TERM: "xterm-256color" }, "lists"],
    [{ TERM: "dumb" }, "plain"],
    [{ TERM: "xterm", CI: "true" }, "plain"],
    [{ TERM: "xterm", CI: "1" }, "plain"],
    [{ TERM: "xterm", CI: "false" }, "lists"],
    [{ TERM: "xterm", CI: "" }, "lists"],
    [{ TERM: "xterm", ACCESSIBLE: "1" }, "plain, lists"],
  ])("with %o is for %s", (env, kinds) => {
    expect(isPlainTerminal(env)).toBe(kinds.includes("plain"));
    expect(canChoose(person, env)).toBe(kinds.includes("lists"));
  });

  it("at one end only is not for lists", () => {
    expect(canChoose({ stdin: {}, stderr: { isTTY: true } }, {})).toBe(false);
    expect(canChoose({ stdin: { isTTY: true }, stderr: {} }, {})).toBe(false);
  });
});
