import { expect, it } from "vitest";
import { createLineRedactor } from "../packages/cli/log/log.js";
import { isNeutralFolder } from "../packages/gateway/backends/agent/native-tools/native-request.js";
import { ErrorLine } from "../packages/gateway/backends/cli/acp/decode.js";
import { toCliError } from "../packages/gateway/backends/cli/errors.js";
import { readModels } from "../packages/gateway/backends/cli/listings.js";
import { toGatewayError } from "../packages/gateway/backends/cursor/errors.js";
import { noFailure } from "../packages/gateway/backends/cursor/failure.js";
import { toSdkError } from "../packages/gateway/backends/sdk/errors.js";
import { findJson } from "../packages/gateway/core/formats/answer-formats.js";
import { requireJson } from "../packages/gateway/fronts/http/body/read-body.js";
import { ToolNames } from "../packages/gateway/fronts/openai-responses/tools.js";
import { fitsWildcard } from "../packages/gateway/turn/fits-wildcard.js";
import { cpuMsOf } from "../testing/cpu-time.js";

/**
 * Untrusted text on which a backtracking expression takes minutes, and linear code less than a second.
 */
const tokens = "eyJ".repeat(200_000);
const blanks = " ".repeat(12_000);
const slashes = "/".repeat(400_000);

it.each<[string, () => unknown]>([
  [
    "a charset of blanks",
    () => expect(() => requireJson({ "content-type": charset(blanks) })).toThrow("character set"),
  ],
  ["a namespace of underlines", () => nameIn(`${"_".repeat(400_000)}a`)],
  ["a fence around blank lines", () => findJson(`\`\`\`${"\n".repeat(400_000)}\`\`x`)],
  ["what looks like JSON and is none", () => findJson("{x}".repeat(2_000_000))],
  ["a path of slashes", () => isNeutralFolder(`a${slashes}a`)],
  [
    "Cursor's error of token beginnings",
    () => toGatewayError({ ...noFailure, connectCode: "internal", message: tokens }),
  ],
  ["Cursor's error of dates", () => toGatewayError({ ...noFailure, message: "again ".repeat(100_000) })],
  ["the CLI's error of token beginnings", () => toCliError(tokens)],
  ["the CLI's error of blank lines", () => toCliError("\n".repeat(400_000))],
  ["the CLI's answer of blank lines", () => new ErrorLine().push(`x${" \n".repeat(200_000)}x`)],
  ["the CLI's models with marks", () => readModels(`a - b${" ".repeat(400_000)}x`)],
  ["the SDK's error of token beginnings", () => toSdkError({ name: "NetworkError", code: "", message: tokens })],
  ["a log line of token beginnings", () => createLineRedactor([])("-eyJ".repeat(200_000))],
  ["a name by a pattern of stars", () => fitsWildcard("a".repeat(100_000), `${"*a".repeat(40)}*b`)],
])("%s is read in linear time", (_, read) => {
  expect(cpuMsOf(read)).toBeLessThan(10_000);
});

function charset(padding: string): string {
  return `application/json; charset=${padding}"a"b`;
}

function nameIn(namespace: string): string {
  return new ToolNames().toUpstream({ name: "x", namespace });
}
