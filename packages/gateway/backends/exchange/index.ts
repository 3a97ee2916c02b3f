export { BaseExchange, TurnExchange, tokensNearWindow } from "./base-exchange.js";
export { ReplyWriter } from "./reply-writer.js";
