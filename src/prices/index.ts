export { type CostSum, costOf, costText, dollarText, knownDollars } from "./cost.js";
export { createPrices, type Prices } from "./price-table.js";
