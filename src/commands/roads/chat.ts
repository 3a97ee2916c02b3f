import type { Backend } from "../../backends/backend.js";
import { createChatBackend } from "../../backends/chat/index.js";
import { systemClock } from "../../clock.js";
import type { RoadParts } from "./road-parts.js";

export function openChat({ settings, tokens, network }: RoadParts): Backend {
  const { backendUrl, checksum, silenceMs } = settings;
  return createChatBackend({ tokens, backendUrl, checksum, silenceMs, clock: systemClock, network });
}
