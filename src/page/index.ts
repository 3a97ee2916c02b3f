export { PLAYGROUND, playground } from "./caller.js";
export type {
  DoorAnswer,
  PlanAnswerBody,
  ProblemAnswer,
  SessionAnswer,
  SessionQuestion,
  UsageAnswer,
} from "./contract.js";
export { LINK_MINUTES, linkTo } from "./links.js";
export { openPageDoor, type PageDoor } from "./open-door.js";
export { replaceSecret } from "./page-secret.js";
export { PAGE_HEADER, type PageSessions, SESSION_SECONDS } from "./sessions.js";
