// Compares the messages of two clients, and checks the differences against the page that explains them.

/** The paths at which two flattened runs differ. */
export function differences(theirs, ours) {
  const paths = [...new Set([...theirs.keys(), ...ours.keys()])].sort();
  return paths.flatMap((path) => {
    const difference = { path, theirs: theirs.get(path), ours: ours.get(path) };
    return difference.theirs === difference.ours ? [] : [difference];
  });
}

/** The differences that no row of the page explains. */
export function undocumented(found, { rows, leftOut }) {
  return found.filter(
    (difference) => !leftOut.some(({ path }) => path.test(difference.path)) && explain(difference, rows).length === 0,
  );
}

/** The outdated rows of the page, given all differences and all paths. */
export function outdated(found, seenPaths, { rows, leftOut }) {
  const complaints = [];
  for (const row of rows) {
    const explained = found.filter((difference) => explain(difference, [row]).length > 0);
    if (explained.length === 0) complaints.push(`${row.text}: this difference no longer exists`);
    for (const side of explained.length === 0 ? [] : ["theirs", "ours"]) {
      for (const value of row[side]) {
        if (explained.some((difference) => value.test(difference[side]))) continue;
        complaints.push(`${row.text}: ${side} is never ${value.text}`);
      }
    }
  }
  for (const { text, path } of leftOut) {
    if (![...seenPaths].some((seen) => path.test(seen))) complaints.push(`${text}: this is no longer sent`);
  }
  return complaints;
}

function explain(difference, rows) {
  const isSaid = (values, value) => values.some((each) => each.test(value));
  return rows.filter(
    ({ path, theirs, ours }) =>
      path.test(difference.path) && isSaid(theirs, difference.theirs) && isSaid(ours, difference.ours),
  );
}

export function wording({ path, theirs, ours }) {
  return `| \`${path}\` | ${cell(theirs)} | ${cell(ours)} | |`;
}

function cell(value) {
  return value === undefined ? "—" : `\`${value.replaceAll("\n", "\\n").slice(0, 200)}\``;
}
