import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { toBody } from "./chat/request-body.js";
import { toCurl, withShortImages } from "./side-panel.js";

const asking = { model: "m", effort: "", system: "", tool: undefined };
const origin = "http://127.0.0.1:32124";
const said = (text: string) => [{ by: "person" as const, message: { text, pictures: [] } }];

it.each(["it's", "$HOME `id` $(id) \\n", "JSON\nJSON\n", "\u009b31m \u202e \u2028 \u0007", "ünïcödé 😀"])(
  "the shell command sends exactly the body that the page sent: %j",
  (text) => {
    const body = toBody(asking, said(text));
    const command = toCurl(body, { origin, asksForKey: true });
    // A shell function named curl prints its input.
    const shown = execFileSync("sh", ["-c", `curl() { echo "$@"; cat; }\n${command}`], { encoding: "utf8" });
    const [line = "", ...rest] = shown.split("\n");
    expect(line).toBe(
      `-N ${origin}/v1/chat/completions -H content-type: application/json -H authorization: Bearer YOUR_KEY --data-binary @-`,
    );
    expect(JSON.parse(rest.join("\n"))).toEqual(body);
    expect(command).not.toMatch(/(?!\n)\p{Cc}|[\u2028-\u202e]/u);
  },
);

it("has no key if none is required, and shortens images", () => {
  const picture = { name: "a", bytes: 1, dataUrl: `data:image/png;base64,${"iVBORw0KGgo".repeat(100)}=` };
  const body = toBody(asking, [{ by: "person", message: { text: "", pictures: [picture] } }]);
  const command = toCurl(body, { origin, asksForKey: false });
  expect(command).not.toContain("authorization");
  expect(command).toContain(picture.dataUrl);
  expect(toCurl(withShortImages(body), { origin, asksForKey: false })).toContain(
    '"url": "data:image/png;base64,iVBORw0KGgoiVBORw0KGgoiVBO…"',
  );
});
