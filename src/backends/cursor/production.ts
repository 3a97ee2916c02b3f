/** Cursor's own hosts. A backend that was set by hand, a local or a staging one serves everything itself. */
export const PRODUCTION_BACKEND = "https://api2.cursor.sh";

/** The documented API. */
export const PRODUCTION_REST = "https://api.cursor.com";

/** Where runs go when the server names no other place, for accounts whose privacy mode is on. */
export const PRIVATE_AGENT_HOST = "https://agent.api5.cursor.sh";

/** The same for accounts whose privacy mode is off. */
export const OPEN_AGENT_HOST = "https://agentn.api5.cursor.sh";

/** What the names of all hosts end with that get the account's token. */
export const PRODUCTION_DOMAIN = ".cursor.sh";
