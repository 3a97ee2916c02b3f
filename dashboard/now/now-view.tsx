export function NowView() {
  return <h1 tabIndex={-1}>Now</h1>;
}
