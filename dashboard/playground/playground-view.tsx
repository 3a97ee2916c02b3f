export function PlaygroundView() {
  return <h1 tabIndex={-1}>Playground</h1>;
}
