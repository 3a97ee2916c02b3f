import type { ComponentProps } from "preact";

interface ButtonProps extends Omit<ComponentProps<"button">, "class"> {
  /** How it looks and stands, in classes. */
  readonly kind?: string;
}

export function Button({ kind = "", ...attributes }: ButtonProps) {
  return <button type="button" class={`button ${kind}`} {...attributes} />;
}
