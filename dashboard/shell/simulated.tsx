/** Stands over every view, so that nobody takes made-up answers for real ones. */
export function Simulated() {
  return <p class="notice simulated">Simulated: the answers come from no model.</p>;
}
