import { describe, expect, it } from "vitest";
import { CommandFailure } from "../terminal/print.js";
import { createRunner } from "./keep-service.js";

const node = (script: string) => ({ program: process.execPath, args: ["-e", script] });

describe("a command of the system", () => {
  it("runs with stdout and stderr kept apart", async () => {
    const output = await createRunner(process).run(
      node("console.log('out'); console.error('err'); process.exitCode = 3"),
    );
    expect(output).toEqual({ exitCode: 3, stdout: "out\n", stderr: "err\n" });
  });

  it("that never answers times out", async () => {
    const waiting = createRunner(process, 100).run(node("setInterval(() => {}, 1000)"));
    await expect(waiting).rejects.toThrow(/has not answered within 0\.1 s/);
    await expect(waiting).rejects.toBeInstanceOf(CommandFailure);
  });

  it("that is missing says what to do instead", async () => {
    await expect(createRunner(process).run({ program: "/nowhere/systemctl", args: [] })).rejects.toThrow(
      /cannot be started on this machine .* run: curlew serve/,
    );
  });

  it("is read line by line", async () => {
    const lines: string[] = [];
    const exitCode = await createRunner(process).lines(node("process.stdout.write('one\\ntwo\\n')"), (line) =>
      lines.push(line),
    );
    expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: ["one", "two"] });
  });
});
