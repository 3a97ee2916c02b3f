/**
 * What to call an address to people: its host, and the file if it is called like one. The rest of an address may be a secret,
 * not only what stands behind the question mark.
 */
export function nameAddress(url: string): string {
  if (!URL.canParse(url)) return "without a valid address";
  const { host, pathname } = new URL(url);
  const file = /\/([\w.-]{1,40}\.(?:png|jpe?g|gif|webp|pdf))$/i.exec(pathname)?.[1];
  return file === undefined ? `at ${host}` : `${file} at ${host}`;
}
