/**
 * Makes a value once for each object. Worth it for what comes again with every request of a conversation: a message that a client
 * repeats is the same object as before (`fronts/http/body/known-bodies.ts`).
 */
export function perObject<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const madeOf = new WeakMap<Key, { readonly made: Made }>();
  return (key) => {
    let known = madeOf.get(key);
    if (known === undefined) {
      known = { made: make(key) };
      madeOf.set(key, known);
    }
    return known.made;
  };
}
