import { type CursorProfile, loadProfile } from "../../packages/gateway/backends/profile/index.js";

/** The Cursor profile of the package. */
export const sampleProfile: CursorProfile = loadProfile("/nowhere").profile;
