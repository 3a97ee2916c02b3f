/**
 * The token in the value of Cursor's web cookie, which is `user::token`, URL-encoded; any other text as it is. The name of the
 * cookie may stand before it, as a browser's tools copy it.
 */
export function withoutUser(token: string): string {
  return token.replace(/^WorkosCursorSessionToken=/i, "").replace(/^.*?(::|%3A%3A)/i, "");
}
