export function ModelsView() {
  return <h1 tabIndex={-1}>Models</h1>;
}
