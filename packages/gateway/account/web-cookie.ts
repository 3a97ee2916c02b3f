/** The token in the value of Cursor's web cookie, `user::token`, URL-encoded, perhaps with its name; any other text as it is. */
export function withoutUser(token: string): string {
  return token.replace(/^WorkosCursorSessionToken=/i, "").replace(/^.*?(::|%3A%3A)/i, "");
}
