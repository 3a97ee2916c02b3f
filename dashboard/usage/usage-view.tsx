export function UsageView() {
  return <h1 tabIndex={-1}>Usage</h1>;
}
