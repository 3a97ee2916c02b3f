import { toBinary, toJson } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { RequestContextEnvSchema, RequestContextSchema } from "../../../gen/agent_v1_pb.js";
import { buildRequestContext } from "./request-context.js";

const tools = [{ name: "tide", description: "Tells the tide.", inputSchema: { type: "object" } }];

it("describes a workspace that is nobody's, and nothing that could be run there", () => {
  const { env } = buildRequestContext("", [], false);
  expect(env && toJson(RequestContextEnvSchema, env)).toEqual({
    osVersion: process.platform,
    workspacePaths: ["/workspace"],
    shell: "sh",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    projectFolder: "/workspace",
    processWorkingDirectory: "/workspace",
    sandboxSupported: false,
    computerUseSupported: false,
    isWorkingDirHomeDir: false,
  });
});

it("makes the caller's system prompt a rule that always applies, behind our own", () => {
  const { rules } = buildRequestContext("You count birds.", [], false);
  expect(rules.map(({ content }) => content)).toEqual([expect.stringContaining("refused"), "You count birds."]);
  for (const { type } of rules) expect(type?.type.case).toBe("global");
  expect(buildRequestContext("", [], false).rules).toHaveLength(1);
});

it("is the same bytes for the same prompt and tools, and few of its own", () => {
  const encode = () =>
    Buffer.from(toBinary(RequestContextSchema, buildRequestContext("You count birds.", tools, false)));
  expect(encode().equals(encode())).toBe(true);
  const bare = toBinary(RequestContextSchema, buildRequestContext("", [], false));
  expect(bare.byteLength).toBeLessThan(512);
});

it("says that web tools are there when they are allowed", () => {
  const { rules, webSearchEnabled, webFetchEnabled } = buildRequestContext("", [], true);
  expect({ webSearchEnabled, webFetchEnabled }).toEqual({ webSearchEnabled: true, webFetchEnabled: true });
  expect(rules[0]?.content).toContain("all but those for the web");
});
