import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { expect, it } from "vitest";
import { type ExecServerMessage, ExecServerMessageSchema, SubagentResultSchema } from "../../../gen/agent_v1_pb.js";
import { clientTools } from "../native-tools/client-tools.cases.js";
import { answerExec, refusalReason } from "./execs.js";

const named = (name: string) => ({ name, description: "", inputSchema: {} });

it("names every tool that the client offers, and no other", () => {
  const reason = refusalReason(clientTools.pi);
  expect(reason).toContain(": read, bash, edit, write, grep, find, ls.");
  expect(reason).not.toMatch(/webfetch|terminal|more/);
});

it("says that there are none", () => {
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

it("puts the refusal of a subagent where its text belongs", () => {
  const { message } = create(ExecServerMessageSchema, { message: { case: "subagentArgs", value: {} } });
  const answer = answerExec({ message } as ExecServerMessage, {
    system: "",
    tools: [],
    callable: [],
    allowsWeb: false,
  });
  if (answer.type !== "result" || answer.message.case !== "subagentResult") return expect.fail("another answer");
  const bytes = toBinary(SubagentResultSchema, create(SubagentResultSchema, answer.message.value));
  const reader = new BinaryReader(bytes);
  expect(reader.tag()[0]).toBe(2); // the error
  reader.uint32(); // its length
  expect(reader.tag()[0]).toBe(2); // its text; 1 is the agent's id
  expect(reader.string()).toBe(refusalReason([]));
});

it("leaves out a name that is too long for the rest to fit", () => {
  const reason = refusalReason([named("x".repeat(5_000)), named("bash")]);
  expect(reason).toMatch(/instead: bash and 1 more\.$/);
  expect(refusalReason([named("x".repeat(5_000))])).toMatch(/instead\.$/);
});
