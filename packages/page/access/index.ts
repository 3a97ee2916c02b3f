export { LINK_MINUTES, linkTo } from "./links.js";
export { replaceSecret } from "./page-secret.js";
export {
  openPageDoor,
  PAGE_HEADER,
  type PageDoor,
  type PageSessions,
  PLAYGROUND,
  playground,
  SESSION_SECONDS,
} from "./sessions.js";
