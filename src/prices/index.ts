export {
  type CostSum,
  createPrices,
  dollarText,
  knownDollars,
  type Price,
  type Prices,
} from "./prices.js";
