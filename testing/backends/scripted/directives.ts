import { setTimeout as sleep } from "node:timers/promises";
import { verdictByConnectCode } from "../../../src/backends/cursor/verdict.js";
import { joinText } from "../../../src/turn/blocks.js";
import { type ErrorCode, GatewayError } from "../../../src/turn/error.js";
import type { TurnEvent, Usage } from "../../../src/turn/event.js";
import type { Turn } from "../../../src/turn/turn.js";
import type { ScriptStep } from "./exchange.js";

/** The few directives of the simulated model that the shared backend cases need, read without a simulator. */
export function* playDirectives(turn: Turn): Iterable<ScriptStep> {
  let usage: Usage = {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  };
  for (const { word, rest } of directivesOf(turn)) {
    switch (word) {
      case "say":
        yield* inWords(rest).map((delta): TurnEvent[] => [{ type: "text", delta }]);
        break;
      case "think":
        yield* inWords(rest).map((delta): TurnEvent[] => [{ type: "thinking", delta }]);
        break;
      case "wait":
        yield { waitFor: () => sleep(Number(rest)) };
        break;
      case "usage":
        usage = parseUsage(rest);
        break;
      case "fail":
        yield { fail: new GatewayError(codeOf(rest), `Failed on purpose with ${rest}.`) };
        break;
      case "drop":
        yield { fail: new GatewayError("upstream_error", "Broke off on purpose.") };
        break;
      default:
        throw new Error(`the scripted model knows no [[${word}]]`);
    }
  }
  yield [
    { type: "usage", usage },
    { type: "finish", reason: "stop" },
  ];
}

function codeOf(failure: string): ErrorCode {
  if (failure.includes("USAGE_LIMIT")) return "insufficient_quota";
  return verdictByConnectCode[failure]?.code ?? "upstream_error";
}

function directivesOf(turn: Turn): { word: string; rest: string }[] {
  const newest = turn.messages.findLast((message) => message.role === "user");
  const text = newest === undefined ? "" : joinText(newest.content);
  return text
    .split("[[")
    .slice(1)
    .flatMap((part) => {
      const [, word, rest = ""] = /^(\w+)\s?(.*)/s.exec(part.split("]]", 1)[0] ?? "") ?? [];
      return word === undefined || !part.includes("]]") ? [] : [{ word, rest }];
    });
}

function inWords(text: string): string[] {
  return text.match(/\S*\s*/g)?.filter((part) => part !== "") ?? [];
}

function parseUsage(rest: string): Usage {
  const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0] = rest
    .split(" ")
    .map(Number);
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, estimated: false };
}
