export { type CostSum, costOf, costText, dollarText, knownDollars, type PricedTokens, sumCosts } from "./cost.js";
export { createPrices, type Price, type Prices } from "./price-table.js";
