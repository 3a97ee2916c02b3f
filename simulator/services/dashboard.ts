import { Code, type ServiceImpl } from "@connectrpc/connect";
import { type DashboardService, ErrorDetails_Error } from "../../src/gen/aiserver_v1_pb.js";
import { mintedKey } from "../auth/keys.js";
import { ownerSubject } from "../auth/tokens.js";
import type { SimulatorOptions } from "../options.js";
import { refusal } from "../refusal.js";
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
    createUserApiKey: () => {
      if (options.mint === "ok") return { apiKey: mintedKey() };
      throw refusal(Code.PermissionDenied, ErrorDetails_Error.NOT_HIGH_ENOUGH_PERMISSIONS, {
        title: "Not permitted",
        detail: "Your team does not allow user API keys.",
      });
    },
    getCurrentPeriodUsage: () => periodUsage(options.usage),
    getPlanInfo: () => planInfo,
    getTeamAdminSettingsOrEmptyIfNotInTeam: empty,
    getTeamReposOrEmptyIfNotInTeam: empty,
    getGlobalCommands: empty,
    getManagedSkills: empty,
  };
}
