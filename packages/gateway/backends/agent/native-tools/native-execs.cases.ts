import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type ExecServerMessage, ExecServerMessageSchema, OpaqueSchema } from "@curlew/wire/gen/agent_v1_pb.js";

type ExecArgs = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>["message"]>;

export function execOf(message: ExecArgs): ExecServerMessage {
  return create(ExecServerMessageSchema, { id: 7, message });
}

const command = { command: "npm test", workingDirectory: "/repo/app", timeout: 30_000 };
const edits = [
  { oldText: "one", newText: "1" },
  { oldText: "two", newText: "2" },
];
/** A message without a known schema: field 1 is the command. */
const miniSweArgs = fromBinary(
  OpaqueSchema,
  new BinaryWriter().tag(1, WireType.LengthDelimited).string("make check").finish(),
);

/** Each built-in tool once, as Cursor's server asks for it. */
export const nativeExecs = {
  shell: execOf({ case: "shellArgs", value: command }),
  shellHere: execOf({ case: "shellArgs", value: { command: "git status", workingDirectory: "/workspace" } }),
  shellStream: execOf({ case: "shellStreamArgs", value: command }),
  background: execOf({
    case: "backgroundShellSpawnArgs",
    value: { command: "npm run dev", workingDirectory: "/workspace" },
  }),
  miniSwe: execOf({ case: "miniSweAgentBashArgs", value: miniSweArgs }),
  piBash: execOf({ case: "piBashArgs", value: { command: "ls -l", timeout: 20 } }),
  read: execOf({ case: "readArgs", value: { path: "/repo/a.ts", offset: 10, limit: 20 } }),
  readAll: execOf({ case: "redactedReadArgs", value: { path: "/repo/a.ts" } }),
  piRead: execOf({ case: "piReadArgs", value: { path: "a.ts", offset: 5 } }),
  write: execOf({ case: "writeArgs", value: { path: "/repo/b.ts", fileText: "x\ny\n" } }),
  piWrite: execOf({ case: "piWriteArgs", value: { path: "b.ts", content: "x" } }),
  piEdit: execOf({ case: "piEditArgs", value: { path: "c.ts", edits: edits.slice(0, 1) } }),
  piEditTwo: execOf({ case: "piEditArgs", value: { path: "c.ts", edits } }),
  delete: execOf({ case: "deleteArgs", value: { path: "/repo/old.ts" } }),
  ls: execOf({ case: "lsArgs", value: { path: "/repo/src", ignore: ["node_modules"] } }),
  piLs: execOf({ case: "piLsArgs", value: { limit: 50 } }),
  grep: execOf({
    case: "grepArgs",
    value: { pattern: "fo+", path: "/repo", glob: "*.ts", caseInsensitive: true, contextBefore: 2, headLimit: 10 },
  }),
  grepHere: execOf({
    case: "grepArgs",
    value: { pattern: "foo", path: "/workspace", outputMode: "files_with_matches" },
  }),
  grepByName: execOf({ case: "grepArgs", value: { pattern: "", glob: "*.ts", path: "/repo" } }),
  piGrep: execOf({
    case: "piGrepArgs",
    value: { pattern: "a.b(", literal: true, ignoreCase: true, context: 1, limit: 5 },
  }),
  piFind: execOf({ case: "piFindArgs", value: { pattern: "src/**/*.md", limit: 9 } }),
  fetch: execOf({ case: "fetchArgs", value: { url: "https://example.com/a" } }),
} satisfies Record<string, ExecServerMessage>;
export type NativeExec = keyof typeof nativeExecs;
