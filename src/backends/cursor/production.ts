/**
 * Cursor's own hosts (docs/protocol/wire.md, hosts). A backend set by hand, a local one or a staging one serves every call
 * itself.
 */
export const PRODUCTION_BACKEND = "https://api2.cursor.sh";

/** The host of the documented API (https://docs.cursor.com). */
export const PRODUCTION_REST = "https://api.cursor.com";

/** The host for runs of accounts with privacy mode on, unless the server config names another (docs/protocol/wire.md, hosts). */
export const PRIVATE_AGENT_HOST = "https://agent.api5.cursor.sh";

/** The same for accounts with privacy mode off. */
export const OPEN_AGENT_HOST = "https://agentn.api5.cursor.sh";

/** The domain of all hosts that may receive the account's token. */
export const PRODUCTION_DOMAIN = ".cursor.sh";
