import { expect, it } from "vitest";
import { text, tool } from "../../../../testing/samples/sample-turns.js";
import { MissingToolWatch } from "./missing-tool.js";

const tools = ["browser_open", "read", "time"].map(tool);

function hears(...deltas: string[]): boolean {
  const watch = new MissingToolWatch(tools);
  for (const delta of deltas) watch.push([text(delta)]);
  return watch.hasHeard;
}

it.each([
  ["The tool `browser_open` is not available to me."],
  ["I don't have a tool named browser_open, so I cannot do that."],
  ["I tried. Unfortunately browser_open isn't currently available.\nShall I use read instead?"],
  ["Unknown tool: browser_open"],
  ["There is no such tool as ", "browser_", "open."],
])("detects that a tool is missing: %j", (...deltas) => expect(hears(...deltas)).toBe(true));

it.each([
  ["I opened the page with browser_open. The file is not found."],
  ["The page is not available."],
  ["browser_open is available."],
  ["I do not have time-outs here."],
  ["browser_opener is not available."],
  [`${"A long answer about something else. ".repeat(20)} browser_open is not available.`],
  [""],
])("ignores other sentences: %j", (text) => expect(hears(text)).toBe(false));
