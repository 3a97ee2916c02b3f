export { BaseExchange } from "./base-exchange.js";
export { ReplyWriter } from "./reply-writer.js";
