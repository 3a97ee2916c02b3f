export { FailureBreaker, freePermit, type Permit } from "./failure-breaker.js";
