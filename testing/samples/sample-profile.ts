import { type CursorProfile, loadProfile } from "../../src/profile/index.js";

/** What Curlew takes for granted about Cursor, as it is in the package. */
export const sampleProfile: CursorProfile = loadProfile("/nowhere").profile;
