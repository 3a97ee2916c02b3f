import { describe, expect, it } from "vitest";
import { capturedMachine } from "../../../testing/programs/captured-machine.js";
import { canChoose, isPlainTerminal, startSpinner } from "./spinner.js";

describe("a spinner", () => {
  it("is drawn on a terminal, and erased at its end", () => {
    const machine = capturedMachine({ columns: 80 });
    startSpinner(machine, "Asking Cursor")();
    expect(machine.stderr.text).toBe("\r\u001B[K⠋ Asking Cursor\r\u001B[K");
  });

  it("is only its text on a plain terminal", () => {
    const machine = capturedMachine({ columns: 80, env: { TERM: "dumb" } });
    startSpinner(machine, "Asking Cursor")();
    expect(machine.stderr.text).toBe("Asking Cursor\n");
  });

  it("is nothing in a pipe", () => {
    const machine = capturedMachine();
    startSpinner(machine, "Asking Cursor")();
    expect(machine.stderr.text).toBe("");
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
    expect(canChoose({ ...person, env })).toBe(kinds.includes("lists"));
  });

  it("at one end only is not for lists", () => {
    expect(canChoose({ stdin: {}, stderr: { isTTY: true }, env: {} })).toBe(false);
    expect(canChoose({ stdin: { isTTY: true }, stderr: {}, env: {} })).toBe(false);
  });
});
