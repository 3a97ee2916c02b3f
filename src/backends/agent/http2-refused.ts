import { GatewayError } from "../../turn/error.js";

/** The way to Cursor is open, but not for a run over HTTP/2. Nothing of the run has been taken in. */
export class Http2Refused extends GatewayError {}
