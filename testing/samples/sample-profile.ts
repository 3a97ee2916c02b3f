import { type CursorProfile, loadProfile } from "../../src/profile/index.js";

/** The Cursor profile of the package. */
export const sampleProfile: CursorProfile = loadProfile("/nowhere").profile;
