import { describe, expect, it } from "vitest";
import { createColors } from "../terminal/print.js";
import { showChange } from "./change.js";
import { assumedModel, targetOf } from "./client.js";
import { clients } from "./clients.js";
import { plainObject } from "./merge.js";

const plainly = createColors(false);
const key = '$a"key-of\\the-gateway';
const target = targetOf({ url: "http://127.0.0.1:1", key }, assumedModel("auto"));

describe.each(clients)("what is shown of a change for $name", ({ file, notes }) => {
  it("never holds the key", () => {
    const after = file?.format.print(plainObject(file.wanted(target)));
    const shown = [showChange({ file: "x", before: undefined, after, secrets: [key] }, plainly), ...notes(target)];
    expect(shown.join("\n")).not.toMatch(/a\\*"key|the-gateway/);
  });
});

describe("a change", () => {
  it("is shown as a diff, in colours if there are any", () => {
    const marked = (mark: string) => (text: string) => `<${mark}>${text}`;
    const colors = { ...plainly, red: marked("red"), green: marked("green"), dim: marked("dim"), bold: marked("bold") };
    const shown = showChange({ file: "/f", before: "a\r\nb\r\n", after: "a\r\nc\r\n", secrets: [] }, colors);
    expect(shown.split("\n")).toEqual([
      "<bold>--- /f",
      "<bold>+++ /f",
      "<dim>@@ -1,2 +1,2 @@",
      " a",
      "<red>-b",
      "<green>+c",
      "",
    ]);
  });

  it("does not show the keys of other services that stand near it", () => {
    const before = [
      '{ "apiKey": "sk-of-another-service",',
      '  "ANTHROPIC_AUTH_TOKEN": "of-another-service"',
      "  api_key: of-another-service",
      "OPENAI_API_KEY=of-another-service",
      "Authorization: Bearer of-another-service",
      '"token": "of-\\"another-service"',
      '  "headers": ["Bearer ghp_another1service"]',
      '  "apiKey": "{env:OPENAI_API_KEY}", "max_tokens": 123456',
    ].join("\n");
    const shown = showChange({ file: "/f", before, after: `${before},\n"b": 1`, secrets: [] }, plainly);
    const whole = showChange({ file: "/f", before: undefined, after: before, secrets: [] }, plainly);
    expect(shown + whole).not.toMatch(/another/);
    expect(whole).toContain('+{ "apiKey": "***",');
    expect(whole).toContain('"apiKey": "{env:OPENAI_API_KEY}", "max_tokens": 123456');
  });

  it("contains no terminal control characters", () => {
    const before = "// \u001B]0;title\u0007 and \u009B2J\n{}\n";
    const shown = showChange({ file: "/\u001B[2J", before, after: `${before}\r// x\n`, secrets: [] }, plainly);
    expect(shown).not.toMatch(/[^\P{Control}\n\t]/u);
  });
});
