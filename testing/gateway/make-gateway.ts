import type { Backend } from "../../packages/gateway/backends/backend.js";
import { Backends } from "../../packages/gateway/backends/choose/index.js";
import { readVendors } from "../../packages/gateway/backends/profile/index.js";
import { createAttachments } from "../../packages/gateway/core/attachments/index.js";
import { createGateway } from "../../packages/gateway/core/gateway.js";
import type { Gateway } from "../../packages/gateway/core/index.js";
import type { GatewayDeps, GatewaySettings } from "../../packages/gateway/core/services.js";
import { createCatalogue } from "../../packages/gateway/models/index.js";
import { createMemoryStore } from "../../packages/gateway/store/index.js";
import { systemClock } from "../../packages/gateway/system/clock.js";
import { sampleProfile } from "../samples/sample-profile.js";

/** The defaults, except titles: a test that asks for one wants a real turn. */
export const gatewaySettings: GatewaySettings = {
  leaseMs: 60_000,
  maxParkedRuns: 256,
  maxRuns: Number.POSITIVE_INFINITY,
  runWaitMs: 65_000,
  retries: 3,
  toolLoopMaxRepeat: 2,
  thinkTags: true,
  writtenCalls: true,
  cheapTitles: false,
  ledgerTexts: false,
};

/** A gateway over one backend that keeps everything in memory, with the changes of a test. */
export function makeGateway(backend: Backend, changes: Partial<GatewayDeps> = {}): Gateway {
  const preferences = { aliases: {}, vendors: readVendors(sampleProfile), knowsOwnNamesOnly: false, prefersMax: false };
  const catalogue = createCatalogue({ fetchModels: backend.models, preferences });
  return gatewayOver(oneBackend({ backend, catalogue }), changes);
}

/** The same over several backends. */
export function gatewayOver(backends: GatewayDeps["backends"], changes: Partial<GatewayDeps> = {}): Gateway {
  const clock = changes.clock ?? systemClock;
  return createGateway({
    gatewayId: "test",
    account: "me",
    backends,
    store: createMemoryStore({ now: clock.now }),
    attachments: createAttachments({ clock }),
    settings: gatewaySettings,
    clock,
    ...changes,
  });
}

export function oneBackend<Opened extends { readonly backend: Backend }>(opened: Opened): Backends<Opened> {
  const routing = { usual: opened.backend.name, routes: {}, fallback: [] };
  return new Backends({ routing, open: () => opened, now: Date.now });
}
