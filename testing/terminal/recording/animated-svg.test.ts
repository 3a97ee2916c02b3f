import { describe, expect, it } from "vitest";
import { styledRows } from "../styled-rows.js";
import { animatedSvg } from "./animated-svg.js";
import { withStands } from "./stands.js";

const frame = (captured: string, holdMs: number, key?: string) => ({
  rows: withStands(styledRows(captured), [[/\/tmp\/\w+/g, () => "~"]]),
  cursor: { row: 0, column: 2 },
  caption: "",
  key,
  holdMs,
});
const picture = { columns: 40, rows: 3, title: "A <title>", description: "What it shows" };
const svg = animatedSvg(
  [
    frame("$ curlew\nstays", 1_000),
    frame("$ curlew\nstays", 500, "Enter"),
    frame("\u001B[1;31mSigned in & ready\u001B[0m\nstays\n└ done", 2_500),
  ],
  picture,
);

/** The keyframes of the element that holds this text. */
function timesOf(text: string): string | undefined {
  const line = svg.split("\n").find((each) => each.includes(text) && each.includes("animation-name"));
  const name = /animation-name:(\w+)/.exec(line ?? "")?.[1];
  return new RegExp(`@keyframes ${name}\\{(.*)\\}`).exec(svg)?.[1];
}

describe("a recording as a picture", () => {
  it("shows each row from its first frame to its last", () => {
    expect(svg).toContain(".a{visibility:hidden;animation:4s step-end infinite}");
    expect(timesOf("$ curlew")).toBe("0%{visibility:visible}37.5%{visibility:hidden}");
    expect(timesOf("Signed in &amp; ready")).toBe("0%{visibility:hidden}37.5%{visibility:visible}");
    expect(svg).toMatch(/<g transform="translate\(0 20\)"><text [^>]*>stays/);
  });

  it("shows the key while it is pressed", () => {
    expect(timesOf(">Enter<")).toBe("0%{visibility:hidden}25%{visibility:visible}37.5%{visibility:hidden}");
  });

  it("stands still on its last frame for those who want no motion", () => {
    expect(svg).toContain("@media(prefers-reduced-motion:reduce){.a{animation-duration:0s}}");
    const still = svg.split("\n").filter((line) => line.includes('class="a z"'));
    expect(still.map((line) => line.replace(/<[^>]*>/g, ""))).toEqual(["Signed in &amp; ready", "done"]);
  });

  it("has colours for both themes, and nothing that a page would have to load or run", () => {
    const [light, dark] = [...svg.matchAll(/:root\{([^}]*)\}/g)].map(([, sheet = ""]) => sheet.split(";"));
    expect(light?.length).toBe(dark?.length);
    expect(light).not.toEqual(dark);
    expect(svg).not.toMatch(/<script|foreignObject|@import|@font-face|https?:(?!\/\/www\.w3\.org\/2000\/svg")/);
  });

  it("is the same whenever it was made", () => {
    const made = (text: string) => animatedSvg([frame(text, 1_000)], picture);
    expect(made("09:12:33 200 in 123 ms, key crsr_...a1b2 until 2026-11-16")).toBe(
      made("17:45:01 200 in 987 ms, key crsr_...99zz until 2028-01-01"),
    );
    expect(made("2 answers")).not.toBe(made("3 answers"));
  });

  it("moves what comes after a stand of another width", () => {
    const [row] = withStands(styledRows("in /tmp/a1b2c3/x \u001B[1mnow"), [[/\/tmp\/\w+/g, () => "~"]]);
    expect(row?.map(({ column, text }) => [column, text])).toEqual([
      [0, "in ~/x "],
      [7, "now"],
    ]);
  });
});
