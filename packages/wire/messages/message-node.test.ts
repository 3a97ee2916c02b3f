import { create, toBinary } from "@bufbuild/protobuf";
import { encodeMessage } from "@curlew/simulator/replay/encode-node.js";
import { describe, expect, it } from "vitest";
import { AgentServerMessageSchema } from "../gen/agent_v1_pb.js";
import { parseMessage } from "./message-node.js";

const message = create(AgentServerMessageSchema, {
  message: {
    case: "execServerMessage",
    value: {
      id: 7,
      execId: "exec",
      message: {
        case: "mcpArgs",
        value: { name: "look_up", args: { word: { kind: { case: "numberValue", value: 2.5 } } } },
      },
    },
  },
});
const known = toBinary(AgentServerMessageSchema, message);
/** Field 111 as a varint, field 112 as bytes, field 113 and 114 as fixed. */
const unknown = Buffer.from("f80601820703616263" + "8d0701020304" + "91070102030405060708", "hex");

describe("a message as fields", () => {
  it("has all of them in their order, and gives the same bytes again", () => {
    const bytes = Buffer.concat([known, unknown]);
    const fields = parseMessage(bytes, AgentServerMessageSchema);
    expect(fields.map(({ no, name, kind }) => [no, name, kind])).toEqual([
      [2, "exec_server_message", "message"],
      [111, undefined, "number"],
      [112, undefined, "data"],
      [113, undefined, "fixed"],
      [114, undefined, "fixed"],
    ]);
    expect(encodeMessage(fields).equals(bytes)).toBe(true);
  });

  it("keeps a part whole that is not what the schema says", () => {
    const bytes = Buffer.from("0a03ffffff", "hex"); // an interaction_update that is not a message
    const [field] = parseMessage(bytes, AgentServerMessageSchema);
    expect(field).toMatchObject({ no: 1, name: "interaction_update", kind: "data" });
  });

  it("is an error when the bytes end too early", () => {
    expect(() => parseMessage(Buffer.from("0a05ff", "hex"), AgentServerMessageSchema)).toThrow();
  });
});
