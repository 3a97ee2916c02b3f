import { create, toBinary, toJson } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  type ExecServerMessage,
  ExecServerMessageSchema,
  RequestContextEnvSchema,
  RequestContextSchema,
  SubagentResultSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { clientTools } from "../native-tools/client-tools.cases.js";
import { answerExec, buildRequestContext, refusalReason } from "./execs.js";

const named = (name: string) => ({ name, description: "", inputSchema: {} });

it("names every tool that the client offers, and no other", () => {
  const reason = refusalReason(clientTools.pi);
  expect(reason).toContain(": read, bash, edit, write, grep, find, ls.");
  expect(reason).not.toMatch(/webfetch|terminal|more/);
});

it("says that the client offers no tools", () => {
  expect(refusalReason([])).toMatch(/no tools.*answer in text/);
});

it("stays short with 200 tools, and says how many it does not name", () => {
  const tools = Array.from({ length: 200 }, (_, index) => named(`mcp__some_server__tool_number_${index}`));
  const reason = refusalReason(tools);
  expect(reason.length).toBeLessThan(800);
  const names = /instead: (.*) and (\d+) more\.$/.exec(reason);
  expect((names?.[1]?.split(", ").length ?? 0) + Number(names?.[2])).toBe(200);
  for (const name of names?.[1]?.split(", ") ?? []) expect(tools.map((tool) => tool.name)).toContain(name);
});

it("puts the refusal of a subagent into its error text", () => {
  const { message } = create(ExecServerMessageSchema, { message: { case: "subagentArgs", value: {} } });
  const answer = answerExec({ message } as ExecServerMessage, {
    system: "",
    tools: [],
    callable: [],
    allowsWeb: false,
  });
  if (answer?.case !== "subagentResult") return expect.fail("another answer");
  const bytes = toBinary(SubagentResultSchema, create(SubagentResultSchema, answer.value));
  const reader = new BinaryReader(bytes);
  expect(reader.tag()[0]).toBe(2); // the error
  reader.uint32(); // its length
  expect(reader.tag()[0]).toBe(2); // its text; 1 is the agent's id
  expect(reader.string()).toBe(refusalReason([]));
});

it("leaves out a name that is too long", () => {
  const reason = refusalReason([named("x".repeat(5_000)), named("bash")]);
  expect(reason).toMatch(/instead: bash and 1 more\.$/);
  expect(refusalReason([named("x".repeat(5_000))])).toMatch(/instead\.$/);
});

describe("the context of a request", () => {
  const tools = [{ name: "tide", description: "Tells the tide.", inputSchema: { type: "object" } }];

  it("describes a neutral workspace without a sandbox or a screen", () => {
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

  it("makes the caller's system prompt a global rule, after our own", () => {
    const { rules } = buildRequestContext("You count birds.", [], false);
    expect(rules.map(({ content }) => content)).toEqual([expect.stringContaining("refused"), "You count birds."]);
    for (const { type } of rules) expect(type?.type.case).toBe("global");
    expect(buildRequestContext("", [], false).rules).toHaveLength(1);
  });

  it("is the same bytes for the same prompt and tools, with little overhead", () => {
    const encode = () =>
      Buffer.from(toBinary(RequestContextSchema, buildRequestContext("You count birds.", tools, false)));
    expect(encode().equals(encode())).toBe(true);
    const bare = toBinary(RequestContextSchema, buildRequestContext("", [], false));
    expect(bare.byteLength).toBeLessThan(512);
  });

  it("announces web tools when they are allowed", () => {
    const { rules, webSearchEnabled, webFetchEnabled } = buildRequestContext("", [], true);
    expect({ webSearchEnabled, webFetchEnabled }).toEqual({ webSearchEnabled: true, webFetchEnabled: true });
    expect(rules[0]?.content).toContain("all but those for the web");
  });
});
