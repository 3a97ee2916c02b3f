import type { OpenBackend } from "../backend-parts.js";
import { type ChatBackendDeps, createChatBackend } from "./index.js";

interface ChatSettings {
  readonly backendUrl: string;
  readonly checksum: string | undefined;
  readonly silenceMs: number;
  readonly chatCall: NonNullable<ChatBackendDeps["call"]>;
}

export const open: OpenBackend<ChatSettings> = ({ settings, clientVersions, network, clock }) => {
  const { backendUrl, checksum, silenceMs, chatCall: call } = settings;
  const clientVersion = clientVersions.desktop;
  return ({ tokens }) =>
    createChatBackend({ tokens, backendUrl, call, checksum, clientVersion, silenceMs, clock, network });
};
