import { expect, it } from "vitest";
import { createDrain } from "./serve-until-stopped.js";

function drained(isForPeople: boolean, counts: readonly number[]) {
  const said: unknown[] = [];
  const stderr = { isTTY: isForPeople, write: (text: string | Uint8Array) => said.push(text) > 0 };
  const log = { info: (fields: object, message: string) => void said.push({ ...fields, message }) };
  const drain = createDrain({ stderr, log, isForPeople });
  for (const count of counts) drain.waiting(count);
  drain.stopped();
  return said;
}

it("shows people how many answers are left, and how to stop at once", () => {
  expect(drained(true, [2, 1, 0]).join("")).toBe(
    "\nFinishing 2 answers. Ctrl-C again to stop now.\nFinishing 1 answer. Ctrl-C again to stop now.\nStopped.\n",
  );
  expect(drained(true, [0]).join("")).toBe("\nStopped.\n");
});

it("logs the same for programs", () => {
  expect(drained(false, [2, 1, 0])).toEqual([
    { answers: 2, message: "finishing answers" },
    { answers: 1, message: "finishing answers" },
    { message: "stopped" },
  ]);
});
