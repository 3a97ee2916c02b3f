import { describe, expect, it } from "vitest";
import { toCsv } from "./tables.js";

const all = { value: 1, text: "the sum" };

function csvOf(...values: (string | number | null)[]): string {
  const columns = values.map((value, index) => ({
    title: `C${index}`,
    cellOf: () => ({ value, text: "the text" }),
    all,
  }));
  const [, ...lines] = toCsv({ columns, rows: [{}] }).split(/(?<=C\d\r\n)/);
  return lines.join("");
}

describe("a table as CSV", () => {
  it("has titles and values, without display texts and sums", () => {
    const columns = [
      { title: "Client", cellOf: ({ name }: { name: string }) => ({ value: name, text: "the text" }), all },
      { title: "Input", cellOf: () => ({ value: 4_390_120, text: "4.39M" }), all },
    ];
    expect(toCsv({ columns, rows: [{ name: "zed" }, { name: "cline" }] })).toBe(
      "Client,Input\r\nzed,4390120\r\ncline,4390120\r\n",
    );
  });

  it("has empty cells for unknown values, and unformatted numbers", () => {
    expect(csvOf(null, "", 0.0831, -1, 123_456_789_012, 0.1 + 0.2)).toBe(",,0.0831,-1,123456789012,0.3\r\n");
  });

  it("quotes values where needed", () => {
    expect(csvOf('say "hi"', "a,b", "two\nlines", " x")).toBe('"say ""hi""","a,b","two\nlines"," x"\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])("has no formula in %j", (name) => {
    expect(csvOf(name)).toMatch(/^"?'/);
    expect(csvOf(name)).toContain(name);
  });
});
