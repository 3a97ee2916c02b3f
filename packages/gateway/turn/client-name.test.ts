import { describe, expect, it } from "vitest";
import { clientNameOf, labelledClient, recordedClient } from "./client-name.js";

describe("the client of a user agent", () => {
  it.each([
    ["claude-cli/2.1.325", "claude"],
    ["codex_cli_rs/0.166.0", "codex"],
    ["codex_vscode/0.166.0", "codex"],
    ["codex-tui/0.166.0", "codex"],
    ["QwenCode/0.24.4", "qwen"],
    ["Cline/v3.2", "cline"],
    ["OpenAI/JS", "OpenAI/JS"],
    ["curl/8.5.0", "curl"],
    ["codexify/1", "codexify"],
    ["constructor/1", "constructor"],
    ["", ""],
  ])("of %j is %j", (product, name) => expect(clientNameOf(product)).toBe(name));
});

describe("the label in a key", () => {
  it.each([
    [["Bearer curlew-cline", undefined], "cline"],
    [["bearer curlew-Claude-Code"], "claude"],
    [[undefined, "curlew-continue"], "continue"],
    [["Bearer anything", "curlew-pi"], "pi"],
    [["Bearer curlew-env"], undefined],
    [["Bearer curlew_0123456789"], undefined],
    [["curlew-"], undefined],
    [["curlew-\u001b[31m"], undefined],
    [["curlew-a b"], undefined],
    [["curlew-cline\n"], undefined],
    [[`curlew-${"x".repeat(25)}`], undefined],
    [[["curlew-cline"]], undefined],
  ])("in %j is %j", (shown, name) => expect(labelledClient(shown)).toBe(name));
});

it("keeps the names of keys as they were recorded", () => {
  expect(["codex-work", "claude-cli", "a/b"].map(recordedClient)).toEqual(["codex-work", "claude-cli", "a/b"]);
  expect(recordedClient("claude-cli/2.1.0")).toBe("claude");
});
