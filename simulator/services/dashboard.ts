import { randomBytes } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DashboardService } from "../../src/gen/aiserver_v1_pb.js";
import { ownerSubject } from "../auth/tokens.js";
import type { SimulatorOptions } from "../options.js";
import { periodUsage, planInfo } from "./usage.js";

export function dashboard(options: SimulatorOptions): ServiceImpl<typeof DashboardService> {
  const empty = () => ({});
  return {
    getMe: () => ({
      authId: ownerSubject,
      userId: 4_242,
      email: "owner@simulated.example",
      firstName: "Sim",
      lastName: "Owner",
      createdAt: "2026-11-01T00:00:00.000Z",
    }),
    getUserPrivacyMode: () => ({ privacyMode: options.privacyMode }),
    createUserApiKey: () => ({ apiKey: `crsr_${randomBytes(32).toString("hex")}` }),
    getCurrentPeriodUsage: () => periodUsage(options.usage),
    getPlanInfo: () => planInfo,
    getTeamAdminSettingsOrEmptyIfNotInTeam: empty,
    getTeamReposOrEmptyIfNotInTeam: empty,
    getGlobalCommands: empty,
    getManagedSkills: empty,
  };
}
