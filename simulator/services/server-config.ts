import type { ServiceImpl } from "@connectrpc/connect";
import { Http2Config, type ServerConfigService } from "../../src/gen/aiserver_v1_pb.js";
import type { SimulatorOptions } from "../options.js";

const http2Configs = {
  h2: Http2Config.FORCE_ALL_ENABLED,
  h1: Http2Config.FORCE_ALL_DISABLED,
} as const;

/** `url` is called late, because the port is known only once the server listens. */
export function serverConfig(options: SimulatorOptions, url: () => string): ServiceImpl<typeof ServerConfigService> {
  return {
    getServerConfig: () => ({
      configVersion: "7b0e2c3a-1111-4222-8333-444455556666",
      http2Config: http2Configs[options.transport],
      agentUrlConfig: { agentUrl: url(), agentnUrl: url() },
    }),
  };
}
