/** On the wire 0 stands for "not given" as often as absence does. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
