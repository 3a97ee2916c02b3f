export {
  type CostSum,
  costBy,
  costOf,
  createPrices,
  dollarText,
  knownDollars,
  type Price,
  type Prices,
} from "./prices.js";
