import { ExecClientMessageSchema, ExecServerMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { startRun } from "../../../testing/simulator/agent-client.js";
import { startStand } from "../../../testing/simulator/stand.js";
import { startedEach } from "../../../testing/started.js";
import { execKinds, findExecKind } from "./exec-kinds.js";

const stand = startedEach(() => startStand());

/** The numbers of arguments and results by kind, where they differ (docs/protocol/wire.md, execs). */
const numbers: [string, number, number][] = [
  ["shell", 2, 2],
  ["read", 7, 7],
  ["shell_stream", 14, 14],
  ["pi_read", 45, 46],
  ["pi_ls", 51, 52],
  ["mini_swe_agent_bash", 52, 55],
  ["conversation_search", 53, 53],
  ["git_diff_request", 44, 44],
  ["adopt", 56, 56],
];

describe("the table of exec kinds", () => {
  it("has every case that the schema has", () => {
    const cases = ExecServerMessageSchema.oneofs.find(({ name }) => name === "message")?.fields ?? [];
    expect(execKinds).toHaveLength(cases.length);
    expect(cases.length).toBeGreaterThan(38);
  });

  it.each(numbers)("pairs %s with its result", (name, argsNumber, resultNumber) => {
    const kind = findExecKind(name);
    const args = ExecServerMessageSchema.fields.find(({ localName }) => localName === kind?.argsCase);
    const result = ExecClientMessageSchema.fields.find(({ localName }) => localName === kind?.resultCase);
    expect([args?.number, result?.number]).toEqual([argsNumber, resultNumber]);
  });
});

describe("a built-in tool", () => {
  it.each(execKinds.map(({ name }) => name).filter((name) => name !== "request_context"))(
    "%s can be refused by a throw",
    async (name) => {
      const client = startRun(stand, `[[native ${name} {}]]`, {}, { silent: ["exec"] });
      const exec = await client.until(({ message }) =>
        message.case === "execServerMessage" && message.value.message.case === findExecKind(name)?.argsCase
          ? message.value
          : undefined,
      );
      client.throwExec(exec.id, "unknown here");
      expect((await client.ended).frame).toEqual({});
      expect(client.text).toBe(`native ${name}: thrown: unknown here\n`);
    },
  );
});
