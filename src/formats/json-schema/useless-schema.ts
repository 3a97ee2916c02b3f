/** A schema that cannot be used; its message says why. */
export class UselessSchema extends Error {}
