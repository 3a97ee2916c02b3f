export { BaseExchange, isNearWindow, TurnExchange } from "./base-exchange.js";
export { ReplyWriter } from "./reply-writer.js";
