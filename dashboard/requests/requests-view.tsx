export function RequestsView({ id }: { readonly id: string | undefined }) {
  return <h1 tabIndex={-1}>{id ?? "Requests"}</h1>;
}
