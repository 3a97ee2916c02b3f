const classes = new Map([
  ["d", "0-9"],
  ["w", "[:alnum:]_"],
  ["s", "[:space:]"],
]);

const TOKEN = /\\(.)|\[(\^?)((?:\\[^[]|[^\][\\])*)(\]?)|\(\?(:?)|([*+?}])\?/gsu;

/** A regular expression of ripgrep as `grep -E` knows it, for the lines that match. Undefined if that has no equal. */
export function toExtendedExpression(expression: string): string | undefined {
  let hasEqual = true;
  const none = (): string => {
    hasEqual = false;
    return "";
  };
  const extended = expression.replace(TOKEN, (token, escaped, not, members, end, colon, quantifier) => {
    if (escaped !== undefined) return escapeOf(escaped) ?? none();
    if (members !== undefined) return (end && bracketOf(not, members)) || none();
    if (colon !== undefined) return colon === ":" ? "(" : none();
    return quantifier ?? token; // a lazy quantifier matches on the same lines
  });
  return hasEqual ? extended : undefined;
}

function escapeOf(character: string): string | undefined {
  if (/[bB.[\](){}*+?|^$\\]/.test(character)) return `\\${character}`;
  const members = classes.get(character.toLowerCase());
  if (members !== undefined) return character === character.toLowerCase() ? `[${members}]` : `[^${members}]`;
  return /\w/.test(character) ? undefined : character;
}

/** Between brackets, `grep` has no escapes: a bracket comes first there, and a hyphen last. */
function bracketOf(not: string, members: string): string | undefined {
  let [first, last, isKnown] = ["", "", !/&&|--|~~/.test(members)];
  const middle = members.replace(/\\(.)/gsu, (_, escaped: string) => {
    if (escaped === "]") first = "]";
    else if (escaped === "-") last = "-";
    else if (escaped === "\\") return "\\";
    else if (classes.has(escaped)) return classes.get(escaped) ?? "";
    else if (/[\w^]/.test(escaped)) isKnown = false;
    else return escaped;
    return "";
  });
  return isKnown ? `[${not}${first}${middle}${last}]` : undefined;
}
