import { describe, expect, it } from "vitest";
import { previewOf, safeText, UnsafeCapture } from "../../packages/gateway/backends/capture/index.js";
import { parseCapture } from "../../packages/simulator/replay/capture-file.js";
import { captureText, type FrameLine } from "../../packages/wire/messages/capture-format.js";
import { recordOn, recordOnReplay } from "../../testing/gateway/recorded-talk.js";
import { differencesBesidesTimes } from "../../testing/gateway/same-messages.js";

const planted = {
  token: "crsr_planted_00112233445566778899",
  jwt: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.${"Q".repeat(43)}`,
  address: "planted.person@example.org",
  home: "/home/planted-person",
  host: "planted-host.example.org",
};
const everything = Object.values(planted).join(" ");
const words = { secrets: [planted.token], homeFolder: planted.home, hostName: planted.host };
const parts = ["planted", "example.org", "00112233", "QQQQ", "eyJ", "crsr_"];

describe("a capture", () => {
  it.each(["h2", "h1"] as const)("redacts private data wherever it occurs, over %s", async (transport) => {
    const prompt = `The lamp of ${everything}`;
    const talk = {
      system: `You are on ${everything}.`,
      prompts: [
        `${prompt} [[think ${everything}]] [[call look_up {"word":${JSON.stringify(everything)}}]] then [[say ${everything}]]`,
        `${prompt} [[native read {"path":"${planted.home}/notes"}]] then [[fail not_found]]`,
      ],
      result: `On ${planted.host}: ${everything}`,
      shown: ["The lamp of the house is on."],
    };
    const { capture } = await recordOn({ transport }, talk);
    const text = safeText(capture, words);
    for (const part of [...Object.values(planted), ...parts]) expect(text).not.toContain(part);
    expect(previewOf(capture)).not.toMatch(/planted|example/);
    // The text was recorded: the allowed words remain.
    expect(text).toContain("The lamp of ");
  });

  it("is refused when the list of allowed texts contains a token", async () => {
    const talk = { prompts: [`Say ${planted.token} [[say ok]]`], shown: [`Say ${planted.token}`] };
    const { capture } = await recordOn({}, talk);
    expect(() => safeText(capture, words)).toThrow(UnsafeCapture);
    expect(() => safeText(capture, words)).toThrow("a token or key");
  });

  it("names every message of both directions by its oneof cases", async () => {
    const { capture } = await recordOn({}, { prompts: ["Hello [[say Good day]]"], shown: ["Hello day"] });
    const run = capture.calls.find(({ opening }) => opening.path.endsWith("/Run"));
    const frames = run?.events.filter((event): event is FrameLine => event.type === "frame") ?? [];
    const paths = (from: string) => frames.filter((frame) => frame.from === from).map(({ path }) => path);
    expect(paths("client")[0]).toBe("run_request");
    expect(paths("server")).toEqual(
      expect.arrayContaining(["exec_server_message.request_context_args", "interaction_update.turn_ended"]),
    );
    const [delta] = frames.filter(({ path }) => path === "interaction_update.text_delta");
    expect(delta).toMatchObject({ message: "agent.v1.AgentServerMessage", bytes: expect.any(Number) });
    expect(JSON.stringify(delta?.body)).toContain('"no":1,"name":"text"');
    expect(run?.events.at(-1)).toMatchObject({ type: "end", how: "end-frame" });
  });

  it("is replayed message by message", async () => {
    const talk = {
      prompts: ['Look. [[call look_up {"word":"lamp"}]] then [[say It burns.]]', "More? [[say No more.]]"],
      result: "Oil lamp.",
      shown: ["Result of look_up: Oil lamp. It burns. No more."],
    };
    const first = await recordOn({}, talk);
    const again = await recordOnReplay(parseCapture(captureText(first.capture), "capture"), talk);
    expect(first.outcomes).toEqual(["Result of look_up: Oil lamp.\nIt burns.", "No more."]);
    expect(again.outcomes).toEqual(first.outcomes);
    expect(again.deviations).toEqual([]);
    expect(differencesBesidesTimes(first.capture, again.capture)).toEqual([]);
  });

  it("reports a client that deviates from the recording", async () => {
    const first = await recordOn({}, { prompts: ["Hello [[say Good day]]"] });
    const again = await recordOnReplay(first.capture, { prompts: ["Hello [[say Good day]]", "And now?"] });
    expect(again.outcomes).toEqual(["bbbbbbbb", "bad_request"]);
  });
});
