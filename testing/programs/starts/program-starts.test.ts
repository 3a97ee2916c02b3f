import { expect, it } from "vitest";
import { startsIn } from "./program-starts.js";

it.each([
  [["node", "/a/dist/main.js", "serve"], 1],
  [["node", "/a/dist/chunks/gateway-child.js"], 0],
  [["script", "-qec", "stty cols 100; exec node /a/dist/main.js usage", "/dev/null"], 1],
  [["bash", "-c", 'curlew() { "node" "/a/dist/main.js" "$@"; }; source "$0"'], 1],
  [["bash", "-c", "curlew keys add ci\ncurlew models | grep auto\necho hello | curlew ask\n# curlew"], 3],
])("counts the starts in %j", (words, count) => {
  expect(startsIn(words)).toBe(count);
});
