/** So much of the end of a name is always shown: versions and variants are there. */
const END_LENGTH = 8;

/** A name that is cut in its middle where there is no room for it. All of it is there for screen readers, copying and pointers. */
export function CutName({ name }: { readonly name: string }) {
  const letters = [...name];
  if (letters.length <= END_LENGTH * 2) return <span class="cut-name">{name}</span>;
  return (
    <span class="cut-name" title={name}>
      <span class="cut-name-start">{letters.slice(0, -END_LENGTH).join("")}</span>
      <span class="cut-name-end">{letters.slice(-END_LENGTH).join("")}</span>
    </span>
  );
}
