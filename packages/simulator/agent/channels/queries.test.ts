import type { InteractionQuery } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { type AgentClient, startRun } from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const stand = startedEach(() => startStand());

function untilQuery(client: AgentClient): Promise<InteractionQuery> {
  return client.until(({ message }) => (message.case === "interactionQuery" ? message.value : undefined));
}

describe("a question to the user", () => {
  it("reports the choice", async () => {
    const client = startRun(stand, '[[query ask_question {"title":"T","questions":[{"id":"q","prompt":"?"}]}]]');
    const { id, query } = await untilQuery(client);
    expect(query).toMatchObject({
      value: { args: { title: "T", questions: [{ id: "q" }] }, toolCallId: expect.stringMatching(/^call_/) },
    });
    const answers = [{ questionId: "q", selectedOptionIds: ["yes"] }];
    client.answerQuery(id, {
      case: "askQuestionInteractionResponse",
      value: { result: { result: { case: "success", value: { answers } } } },
    });
    await client.ended;
    expect(client.text).toContain('query ask_question: success: {"answers":[{"questionId":"q"');
  });

  it("ends the stream on an answer of another kind", async () => {
    const client = startRun(stand, "[[query web_fetch {}]]");
    client.answerQuery((await untilQuery(client)).id, { case: "webSearchRequestResponse", value: {} });
    expect((await client.ended).frame?.error?.code).toBe("invalid_argument");
    expect(stand.world.stats).toMatchObject({ queriesAsked: 1, queriesAnswered: 0, queriesAbandoned: 1 });
  });
});
