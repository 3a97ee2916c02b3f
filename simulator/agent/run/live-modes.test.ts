import { afterEach, describe, expect, it } from "vitest";
import { AgentClient, mcpText, type RunInit, runToEnd, userRun } from "../../../testing/simulator/agent-client.js";
import { type Stand, startStand } from "../../../testing/simulator/stand.js";
import type { SimulatorOptions } from "../../options.js";

let stand: Stand;
afterEach(() => stand.close());

const tool = (name: string, description = "") => ({ name, toolName: name, providerIdentifier: "test", description });
const offering = (...tools: ReturnType<typeof tool>[]): RunInit => ({ mcpTools: { mcpTools: tools } });

describe("a directive that breaks a stream off", () => {
  it.each(["drop", "end", "goaway cut"])(
    "[[%s once]] is obeyed the first time that its message is read",
    async (words) => {
      stand = await startStand();
      const text = `[[${words} once]] [[say through]]`;
      const first = await runToEnd(stand, text);
      expect(first.text).toBe("");
      if (words === "goaway cut") return; // the test's one connection is gone
      expect((await runToEnd(stand, text, { conversationId: "another" })).text).toBe("through");
      expect((await runToEnd(stand, `${text} again`)).text).toBe("");
    },
  );

  it("[[end]] ends in order, but without the end of the turn", async () => {
    stand = await startStand();
    const client = await runToEnd(stand, "[[say so far]] [[end]] [[say never]]");
    expect((await client.ended).frame).toEqual({});
    expect(client.text).toBe("so far");
    expect(client.outline).not.toContain("turnEnded");
  });

  it("[[goaway]] lets the run go on, and [[goaway cut]] does not", async () => {
    stand = await startStand();
    const goaway = new Promise<number>((resolve) => stand.http2.once("goaway", resolve));
    const client = new AgentClient(stand);
    client.send(userRun("[[say one]] [[goaway]] [[say , two]]"));
    expect((await client.ended).frame).toEqual({});
    expect(client.text).toBe("one, two");
    expect(await goaway).toBe(0);
    const cut = await runToEnd(stand, "[[say three]] [[goaway cut]]", {}, { transport: "h1" });
    expect((await cut.ended).frame).toBeUndefined();
  });
});

it("[[update N]] sends an update of that number", async () => {
  stand = await startStand();
  const client = await runToEnd(stand, "[[update 25]] [[say done]]");
  const unknown = client.messages.flatMap(({ message }) =>
    message.case === "interactionUpdate" ? (message.value.$unknown ?? []) : [],
  );
  expect(unknown.map(({ no }) => no)).toEqual([25]);
  expect(client.text).toBe("done");
});

it("a turn may end with a GOAWAY that names no error, after its checkpoint", async () => {
  stand = await startStand({ turnEnd: "goaway" });
  const goaway = new Promise<number>((resolve) => stand.http2.once("goaway", resolve));
  const client = await runToEnd(stand, "[[say whole]]");
  expect(client.outline.slice(-2)).toEqual(["conversationCheckpointUpdate", "conversationCheckpointUpdate"]);
  expect((await client.ended).frame).toBeUndefined();
  expect(await goaway).toBe(0);
});

describe.each(["h2", "h1"] as const)("another region, over %s", (transport) => {
  it("is the status 200 and nothing else", async () => {
    stand = await startStand({ region: "silent" });
    const client = await runToEnd(stand, "hi", {}, { transport });
    expect(await client.ended).toEqual({ status: 200, body: "" });
    expect(client.messages).toEqual([]);
  });

  it("or an error in words", async () => {
    stand = await startStand({ region: "refused" });
    const client = await runToEnd(stand, "hi", {}, { transport });
    expect(JSON.stringify((await client.ended).frame)).toContain("This region is not yet available for your team");
  });
});

it("history in the place of its ids is reset above the limit", async () => {
  stand = await startStand({ maxInlineBytes: 65_536 });
  const conversationState = { rootPromptMessagesJson: [new Uint8Array(65_537)] };
  const client = await runToEnd(stand, "hi", { conversationState });
  expect(await client.ended).toEqual({ status: 200, body: "" });
  const ids = { turns: [], rootPromptMessagesJson: [] };
  expect((await runToEnd(stand, "[[say fine]]", { conversationState: ids })).text).toBe("fine");
});

describe("a blob that nobody has", () => {
  const twoTurns = async (options: Partial<SimulatorOptions>) => {
    stand = await startStand({ lostBlobs: true, ...options });
    const first = await runToEnd(stand, "[[say one]]");
    return runToEnd(stand, "the second", { conversationState: first.lastState }, { blobs: first.blobs });
  };

  it.each([
    ["named", { code: "internal", message: "Blob not found" }],
    ["internal", { code: "internal", message: "Error" }],
    ["failed-precondition", { code: "failed_precondition", message: "Error" }],
  ] as const)("ends the run: %s", async (missingBlob, error) => {
    expect((await (await twoTurns({ missingBlob })).ended).frame).toEqual({ error });
  });

  it("or leaves the model without its history", async () => {
    const client = await twoTurns({ missingBlob: "blank" });
    expect(client.text).toContain('You said: "the second"');
    expect(client.text).not.toContain("Before that");
  });
});

it("a resumed run may use Cursor's own tools first", async () => {
  stand = await startStand({ nativeResumes: true });
  const first = new AgentClient(stand, { silent: ["exec"] });
  first.send(userRun("[[call look {}]] then [[say done]]", offering(tool("look"))));
  const asked = await first.untilExec("mcpArgs");
  first.answerExec(asked.id, mcpText("a tern"));
  await first.ended;
  expect(first.outline.join()).not.toContain("shell");
  const action = { action: { case: "resumeAction" as const, value: {} } };
  const init = { mcpTools: { mcpTools: [tool("look")] }, action, conversationState: first.lastState };
  const client = await runToEnd(stand, "", init, { blobs: first.blobs });
  expect(client.text).toContain("native shell: thrown: not here");
});

it("every model call may cost what Cursor's own prompt does", async () => {
  stand = await startStand({ tokenFloor: 20_152 });
  const { usage } = await runToEnd(stand, "[[call look {}]] then [[say done]]", offering(tool("look")));
  expect(usage.input).toBeGreaterThan(2 * 20_152);
  expect(usage.input).toBeLessThan(2 * 20_152 + 1_000);
  expect(usage.cacheRead).toBeGreaterThan(20_152);
});

describe("the description of a tool", () => {
  const question = "What is the description of the tool weather?";
  const weather = offering(tool("weather", "Tells the weather. Marker: heron."));
  const rules = (content: string) => ({
    context: { rules: [{ fullPath: "/rule", content, type: { type: { case: "global" as const, value: {} } } }] },
  });

  it("reaches the model", async () => {
    stand = await startStand();
    expect((await runToEnd(stand, question, weather)).text).toContain("heron");
  });

  it("does not where tools are dynamic, unless the rules tell it", async () => {
    stand = await startStand({ dynamicTools: true });
    expect((await runToEnd(stand, question, weather)).text).toBe("I have no description of weather.");
    const told = rules("Your tools:\n- weather(city: string, days?: number, units: 'c' | 'f'): Marker: heron.");
    expect((await runToEnd(stand, question, weather, told)).text).toContain("heron");
    const client = new AgentClient(stand, { ...told, silent: ["exec"] });
    client.send(userRun("Please use the weather tool.", weather));
    const { message } = await client.untilExec("mcpArgs");
    const args = message.case === "mcpArgs" ? message.value.args : {};
    expect(Object.keys(args)).toEqual(["city", "units"]);
    expect(args.units?.kind).toEqual({ case: "stringValue", value: "c" });
    client.reset();
    await client.ended;
  });
});

describe("words that come during a run", () => {
  const steered = async (steering: SimulatorOptions["steering"]) => {
    stand = await startStand({ steering });
    const client = new AgentClient(stand, { silent: ["exec"] });
    client.send(userRun("[[call look {}]] then [[say as planned]]", offering(tool("look"))));
    const { id } = await client.untilExec("mcpArgs");
    const userMessage = { userMessage: { text: "[[say another way]]" } };
    const action = { case: "injectContextAction" as const, value: { injectionId: "steer-1", userMessage } };
    client.send({ case: "conversationAction", value: { action } });
    if (steering !== "ignored") await client.untilUpdate("contextInjectionState");
    client.answerExec(id, mcpText("seen"));
    await client.ended;
    return client;
  };
  const statesOf = ({ messages }: AgentClient) =>
    messages.flatMap(({ message }) => {
      if (message.case !== "interactionUpdate" || message.value.message.case !== "contextInjectionState") return [];
      return [Buffer.from(message.value.message.value.$unknown?.[1]?.data ?? []).toString("hex")];
    });

  it("are acknowledged, and read before the next model call", async () => {
    const client = await steered("delivered");
    expect(client.text).toContain("another way");
    expect(client.text).not.toContain("as planned");
    expect(client.outline).toContain("userMessageAppended");
    expect(statesOf(client)).toEqual(["020a00", "021200"]); // queued, delivered
  });

  it("or refused", async () => {
    const client = await steered("rejected");
    expect(client.text).toContain("as planned");
    expect(statesOf(client)).toEqual(["022a00"]);
  });

  it("or not heard of again", async () => {
    const client = await steered("ignored");
    expect(client.text).toContain("as planned");
    expect(statesOf(client)).toEqual([]);
  });
});

it("what an agent has used is told per turn and in sum", async () => {
  stand = await startStand();
  await runToEnd(stand, "[[usage 900 10 300 0 0]] [[say one]]", { conversationId: "bird" });
  await runToEnd(stand, "[[usage 500 20 0 0 0]] [[say two]]", { conversationId: "bird" });
  expect(stand.world.agentUsage.of("bird")).toMatchObject({
    totalUsage: { inputTokens: 1_400, outputTokens: 30, cacheReadTokens: 300, totalTokens: 1_430 },
    runs: [{ usage: { totalTokens: 910 } }, { usage: { totalTokens: 520 } }],
  });
  expect(stand.world.agentUsage.of("fish")).toMatchObject({ totalUsage: { totalTokens: 0 }, runs: [] });
});
