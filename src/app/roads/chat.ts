import type { Backend } from "../../backends/backend.js";
import { createChatBackend } from "../../backends/chat/index.js";
import { systemClock } from "../../clock.js";
import { desktopVersion } from "../../config/client-version.js";
import type { RoadParts } from "./road-parts.js";

export function openChat({ settings, tokens, network }: RoadParts): Backend {
  const { backendUrl, checksum, silenceMs, chatCall: call } = settings;
  const clientVersion = desktopVersion(settings.clientVersion);
  return createChatBackend({
    tokens,
    backendUrl,
    call,
    checksum,
    clientVersion,
    silenceMs,
    clock: systemClock,
    network,
  });
}
