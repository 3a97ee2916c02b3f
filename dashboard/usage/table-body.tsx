import type { Table } from "./table.js";

/** A table with its sums in the foot. It scrolls by itself, and its names, titles and sums stay where they are. */
export function TableBody<Row>({ table: { caption, columns, rows, keyOf } }: { readonly table: Table<Row> }) {
  const [names, ...numbers] = columns;
  if (names === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard
    <section class="table-scroll usage-table" aria-label={`${caption}, as a table`} tabIndex={0}>
      <table class="data">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="usage-first">
              {names.title}
            </th>
            {numbers.map(({ title }) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" class="usage-first" title={names.cellOf(row).text}>
                {names.cellOf(row).text}
              </th>
              {numbers.map(({ title, cellOf }) => {
                const { value, text } = cellOf(row);
                return (
                  <td key={title} class={value === 0 ? "number usage-zero" : "number"}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" class="usage-first">
              {names.all.text}
            </th>
            {numbers.map(({ title, all, sum }) => (
              <td
                key={title}
                class="number"
                data-sum={sum}
                data-value={sum === undefined ? undefined : (all.value ?? "")}
              >
                {all.text}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
