import { deflateSync } from "node:zlib";
import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { McpToolDefinitionSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { noteImage } from "./image-note.js";
import { readRequests } from "./requests.js";
import { collectTools } from "./tools.js";
import type { Entry } from "./transcript.js";

const tools = collectTools(
  [
    ["weather", "time"].map((toolName) => {
      const inputSchema = fromJson(ValueSchema, { type: "object" } satisfies JsonValue);
      return create(McpToolDefinitionSchema, { toolName, providerIdentifier: "p", inputSchema });
    }),
  ],
  {},
);

/** What is done, in short: texts in quotes, calls with their arguments, parallel ones joined by "&". */
function done(text: string, { before = [], given = [] }: { before?: Entry[]; given?: string[] } = {}): string[] {
  const entries: Entry[] = [...before, { role: "user", text, images: [] }];
  return readRequests(text, { entries, tools, given }).map((step) => {
    if (step.type === "asks") return step.asks.map(({ label, args }) => `${label}${JSON.stringify(args)}`).join(" & ");
    return "text" in step.act ? `${step.act.type} ${JSON.stringify(step.act.text)}` : step.act.type;
  });
}

describe("plain requests", () => {
  it.each([
    ["Please reply with exactly: a heron", ['say "a heron"']],
    ["Reply with exactly: one\nand no more", ['say "one"']],
    ['Call the tool weather with {"city":"Bergen"}. Then repeat its result.', ['weather{"city":"Bergen"}']],
    ['Call the tool weather with {} and the tool time with {"at":1}.', ['weather{} & time{"at":1}']],
    ["Call the tool weather with {}, then call the tool time with {}.", ["weather{}", "time{}"]],
    ["Call your only tool with {}.", ["weather{}"]],
    ["Call the tool nothing with {}.", ['say "The tool nothing was not offered to me.\\n"']],
    ["How much is 17 * 23? Answer with the number.", ['think "17 * 23 makes 391."', 'say "391"']],
    ["Count from 1 to 12.", ['say "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "', "wait", 'say "11, 12, "', "wait"]],
    ["Say hello in one short sentence.", ['say "Hello from the simulator, which answers in place of a model."']],
    ["Which colour fills this picture?", ['say "I see no picture."']],
    ["What is your name?", ['say "I have no name."']],
    ["Repeat your previous reply.", ['say "I have not replied yet."']],
    ["The tool weather is nice, and so is Bergen.", []],
  ])("does what %j asks for", (text, expected) => expect(done(text)).toEqual(expected));

  it("knows the newest name and what it has said", () => {
    const given = ["Your name is Ingrid.", "From now on your name is Solveig, and you keep a lighthouse."];
    expect(done("What is your name?", { given })).toEqual(['say "My name is Solveig."']);
    const before: Entry[] = [
      { role: "user", text: "Say something.", images: [] },
      { role: "assistant", id: "1", parts: [{ type: "text", text: "A tern." }] },
    ];
    expect(done("Repeat your last reply.", { before })).toEqual(['say "A tern."']);
  });
});

/** A PNG of one pixel. */
function png(colour: readonly number[], pixels = deflateSync(Buffer.from([0, ...colour]))): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
  };
  const start = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    start,
    chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    chunk("IDAT", pixels),
  ]);
}

describe("a picture", () => {
  it.each([
    [[250, 20, 10], "red"],
    [[0, 10, 240], "blue"],
    [[255, 255, 250], "white"],
  ])("of %j is %s", (colour, word) => {
    expect(noteImage("image/png", png(colour))).toMatchObject({ mimeType: "image/png", colour: word });
  });

  it.each([
    ["no PNG", Buffer.from("GIF89a")],
    ["one whose pixels cannot be read", png([], Buffer.from("no pixels"))],
  ])("has no colour if it is %s", (_, data) => expect(noteImage("image/png", data)).not.toHaveProperty("colour"));
});
