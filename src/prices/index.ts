export { type CostSum, costOf, dollarText, knownDollars } from "./cost.js";
export { createPrices, type Price, type Prices } from "./price-table.js";
