import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Answer, answersIn, openQuestions } from "../packages/cli/commands/doctor/live/open-questions.js";
import { readCapture, type TakeOver } from "../packages/simulator/index.js";
import { RUN_SSE } from "../packages/wire/messages/calls.js";
import { runCurlew, spawnCurlew } from "../testing/programs/curlew-process.js";
import { laboratoryFile } from "../testing/programs/main-file.js";
import { bytesField, changedServer, editFields, type Field, numberField } from "../testing/simulator/changed-server.js";
import { openSimulator, type StrictStart } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

interface Account {
  readonly simulator: StrictStart;
  readonly model?: string;
  /** The owner's overlay of the profile. */
  readonly overlay?: object;
}

/** `curlew doctor --live --capture` on this account. */
async function examine({ simulator: start, model = "auto", overlay = {} }: Account, ...further: readonly string[]) {
  const { url } = await openSimulator(start);
  const home = temporaryFolder();
  writeFileSync(join(home, "cursor.json"), JSON.stringify(overlay), { mode: 0o600 });
  const file = join(home, "capture.jsonl");
  const env = { CURLEW_HOME: home, CURSOR_BACKEND_URL: url, CURSOR_API_KEY: "crsr_answers_0123456789abcdef" };
  const args = ["doctor", "--live", "--yes", "--port", "0", "--model", model, "--capture", file, ...further];
  return { ...(await runCurlew(args, { env })), capture: readCapture(file), file };
}

function answersOf(stdout: string): readonly Answer[] {
  const { answers }: { answers: readonly Answer[] } = JSON.parse(stdout);
  return answers;
}

/** What was seen where it is not as assumed. */
function surprises(answers: readonly Answer[]): Record<string, string> {
  const found = answers.filter(({ answer }) => answer === "not as assumed");
  return Object.fromEntries(found.map(({ question, seen }) => [question, seen]));
}

const asAssumed: StrictStart = { like: "live", tokenFloor: 20_152, approvals: true, bootstrapMs: 50 };

it("a server as assumed gives all answers that a capture can give, and its capture gives the same", async () => {
  const { stdout, capture, file } = await examine({ simulator: asAssumed }, "--json");
  const answers = answersOf(stdout);
  const expected = Object.entries(openQuestions).map(([question, rule]) =>
    rule === undefined
      ? { question, answer: "not answered", seen: "It needs another observation." }
      : { question, answer: "as assumed", seen: expect.stringMatching(/\w/) },
  );
  expect(answers).toEqual(expected);
  const printed = await spawnCurlew(["answers", file, "--json"], { main: laboratoryFile }).finished;
  expect(printed.code).toBe(0);
  expect(JSON.parse(printed.stdout)).toEqual(answers);

  // Each run begins with 50 ms of silence. With a clock that goes a thousand times as fast, they are 50 s.
  const hastened = capture.calls.map(({ opening, events }) => ({
    opening: hasten(opening),
    events: events.map(hasten),
  }));
  const { "How long is Cursor silent?": silence } = surprises(answersIn({ ...capture, calls: hastened }));
  expect(Number.parseFloat(silence?.replace("At most ", "") ?? "")).toBeGreaterThan(49);
});

function hasten<Timed extends { readonly atMs: number }>(line: Timed): Timed {
  return { ...line, atMs: line.atMs * 1_000 };
}

const [UPDATE, EXEC, KV] = [1, 2, 4];
const [TEXT, TURN_ENDED, STARTED_AT] = [1, 14, 25];
const [MCP_ARGS, SHELL_STREAM_ARGS] = [11, 14];
const SET_BLOB_ARGS = 3;

type Edit = (payload: Uint8Array) => Uint8Array;

/** Changes one field of the message at this path. */
function changing(
  path: readonly number[],
  no: number,
  change: (field: Field, fields: readonly Field[]) => Field,
): Edit {
  return (payload) =>
    editFields(payload, path, (fields) => fields.map((field) => (field.no === no ? change(field, fields) : field)));
}

/** The content of a field of less than 128 bytes, without its length. */
const contentOf = ({ data }: Field) => Buffer.from(data).subarray(1);

const edits: readonly Edit[] = [
  // The model knows none of these words.
  changing([UPDATE, TEXT], 1, (field) =>
    /solveig|sandpiper|avocet/i.test(contentOf(field).toString()) ? bytesField(1, Buffer.from("gull")) : field,
  ),
  changing([UPDATE, TURN_ENDED], 1, () => numberField(1, 3)), // input_tokens
  changing([UPDATE, TURN_ENDED], 3, () => numberField(3, 0)), // cache_read_tokens
  changing([UPDATE], STARTED_AT, () => numberField(STARTED_AT, 1)),
  // Not the call that was approved and announced, but another one.
  changing([EXEC, MCP_ARGS], 3, (field, fields) =>
    fields.some(({ no }) => no === 7) ? field : bytesField(3, Buffer.concat([Buffer.from("x"), contentOf(field)])),
  ),
];

const shellCall = editFields(Buffer.alloc(0), [], () => [
  bytesField(
    EXEC,
    editFields(Buffer.alloc(0), [], () => [numberField(1, 9_000), bytesField(SHELL_STREAM_ARGS, Buffer.alloc(0))]),
  ),
]);

/** Most of what a run shows is otherwise. */
const edited = changedServer({
  headers: { "x-lantern": "1" },
  messages: () => {
    let isFirst = true;
    return (payload) => {
      const changed = edits.reduce<Uint8Array>((bytes, edit) => edit(bytes), payload);
      const sent = isFirst ? [shellCall, changed] : [changed];
      isFirst = false;
      return sent;
    };
  },
});

/** Over HTTP/1.1, which few runs take, blobs have other ids: Curlew repeats a run that fails because of them. */
const otherIds = changing([KV, SET_BLOB_ARGS], 1, (field) =>
  bytesField(
    1,
    contentOf(field).map((byte) => byte ^ 1),
  ),
);
const withOtherIds = changedServer({ messages: (http) => (payload) => [http === "2" ? payload : otherIds(payload)] });

const withoutHttp1: TakeOver = (request, response) => {
  if (request.url !== RUN_SSE) return false;
  response.writeHead(404).end();
  return true;
};

const refusing = (code: string, message: string): Account => ({
  simulator: { takeOver: changedServer({ error: { code, message } }) },
});

interface Case extends Account {
  readonly name: string;
  readonly seen: Readonly<Record<string, unknown>>;
}

const FLOOR = "How large is Cursor's own prompt?";
/** The simulator without options has no prompt of its own. */
const noFloor = { [FLOOR]: expect.stringMatching(/^\d{3} tokens/) };

const cases: readonly Case[] = [
  {
    name: "has other habits",
    simulator: {
      callGapMs: 2_000,
      dynamicTools: true,
      lostBlobs: true,
      modelIds: "slug",
      staleTools: true,
      turnEnd: "goaway",
    },
    seen: {
      ...noFloor,
      "Which models get tools by name alone?":
        "0 of 1 models know descriptions exactly where Curlew repeats none (default).",
      "How far apart are parallel calls?": expect.stringMatching(/^\d{4,} ms, announced\.$/),
      "What follows `turn_ended`?": expect.stringMatching(/\((?:reset|cut-off|canceled)\)\.$/),
      "Does Cursor ask for content that a run does not need?": expect.stringMatching(/^0 of \d resumed runs /),
      "Which form of a model's name does Cursor take?": expect.stringContaining("(claude-opus-4-8: 3 refused)"),
      "Does a resumed run offer the model its new tools?": expect.stringMatching(/^0 of \d runs /),
    },
  },
  {
    name: "sends other messages",
    simulator: { ...asAssumed, takeOver: edited },
    seen: {
      "Does Cursor answer with headers that nobody reads?": expect.stringMatching(/^0 of \d+ runs .*\(x-lantern\)/),
      "Does a global rule bring the system prompt to the model, and a resumed run the new one?":
        "1 of 2 answers obey the newest prompt.",
      "Do the tool headers keep Cursor's own tools away?": expect.stringContaining(
        "(exec_server_message.shell_stream_args)",
      ),
      "Does Cursor list the calls of a batch before it asks for them, those of its own tools included?":
        expect.stringMatching(/^0 of \d runs list as many calls/),
      "Does every update have a time beside it?": expect.stringMatching(/^0 of \d+ times in \d+ updates have 6 bytes/),
      "When does the staged checkpoint come, and does it name the calls?":
        expect.stringMatching(/^0 of \d checkpoints /),
      "Does `input_tokens` include cache reads and writes?": expect.stringMatching(/^0 of \d+ runs .*\(3 beside \d+/),
      "Does `input_tokens` count all model calls of a turn?": expect.stringMatching(
        /^0 of \d runs .*\(3 for a context/,
      ),
      [FLOOR]: expect.stringMatching(/^3 tokens/),
      "What does the new id after an unanswered call cost?": expect.stringContaining(" blobs, 0 tokens)"),
      "Does the model follow words of the user inside a result?": "0 of 1 answers follow them.",
      "Does the model read a history that Curlew has encoded?": "0 of 1 answers repeat the last reply.",
      "Does `approved` let a call proceed?": expect.stringMatching(/^0 of \d+ approved calls were made/),
    },
  },
  {
    name: "names the blobs of HTTP/1.1 otherwise",
    simulator: { takeOver: withOtherIds },
    seen: {
      ...noFloor,
      "Are Cursor's blob ids SHA-256 hashes?": expect.stringMatching(/^\d+ of \d+ ids are/),
      "Does Cursor serve runs over HTTP/1.1?": expect.stringMatching(/^0 of \d runs were served \(internal Blob not /),
    },
  },
  {
    name: "refuses HTTP/1.1, and combinators",
    simulator: { refuseCombinators: true, takeOver: withoutHttp1 },
    model: "claude-fable-5-high",
    overlay: { families: { fable: { schema: { refuses: [] } } } },
    seen: {
      ...noFloor,
      "Does Cursor serve runs over HTTP/1.1?": expect.stringMatching(/^0 of \d runs .*\(HTTP status 404\)\.$/),
      "Which models refuse `anyOf`, `oneOf` and `allOf`?": expect.stringMatching(
        /^0 of 1 .*\(claude-fable-5-high\)\.$/,
      ),
    },
  },
  {
    name: "refuses the request",
    ...refusing("invalid_argument", "Error"),
    seen: {
      "Does Cursor accept what Curlew sends and omits?": expect.stringMatching(
        /^0 of \d runs .*\(invalid_argument Error\)/,
      ),
    },
  },
  {
    name: "refuses the version",
    ...refusing("permission_denied", "Update Required"),
    seen: { "How long is a client version accepted?": expect.stringMatching(/^0 of \d runs were accepted \(cli-20/) },
  },
];

it.each(cases)("a server that $name is found out", async ({ seen, ...account }) => {
  const { stdout } = await examine(account, "--json");
  expect(surprises(answersOf(stdout))).toEqual(seen);
});

it("a model that is refused is the reason for the answers that are missing, which come last", async () => {
  const { stdout, file } = await examine(refusing("resource_exhausted", "Error"));
  const [, answers = ""] = stdout.split("\nOpen questions about Cursor (docs/protocol/open-questions.md):\n");
  const lines = answers.split("\n");
  expect(lines.splice(-2)).toEqual([`The capture is in ${file}`, ""]);
  expect(lines).toHaveLength(2 * Object.keys(openQuestions).length);
  expect(lines.slice(0, 2)).toEqual([
    "not answered    Does Cursor accept what Curlew sends and omits?",
    "                The capture does not show it; a run ended with resource_exhausted Error.",
  ]);
  expect(answers).not.toMatch(/^(?:not )?as assumed/m);
});
