/** The header with which a command of the owner proves that it can read the owner's files. */
export const CONTROL_HEADER = "x-curlew-control";
