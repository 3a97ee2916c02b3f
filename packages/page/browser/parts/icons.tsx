import type { ComponentChildren } from "preact";

export function Icon({ weight = 1.8, children }: { readonly weight?: number; readonly children: ComponentChildren }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={weight}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

const lines = (path: string) => (
  <Icon>
    <path d={path} />
  </Icon>
);

export const icons = {
  now: lines("M3 12h4l3-8 4 16 3-8h4"),
  requests: (
    <Icon>
      <path d="M4 6h10M4 12h16M4 18h7" />
      <path d="M18 6h2M15 18h5" opacity="0.45" />
    </Icon>
  ),
  usage: lines("M5 20v-7M12 20V4M19 20v-11"),
  models: (
    <Icon>
      <rect x="4" y="4" width="7" height="7" rx="1.5" />
      <rect x="13" y="4" width="7" height="7" rx="1.5" />
      <rect x="4" y="13" width="7" height="7" rx="1.5" />
      <path d="M16.5 14v5M14 16.5h5" />
    </Icon>
  ),
  playground: lines(
    "M5 5h14a1.5 1.5 0 0 1 1.5 1.5v8A1.5 1.5 0 0 1 19 16h-8l-5 4v-4H5a1.5 1.5 0 0 1-1.5-1.5v-8A1.5 1.5 0 0 1 5 5z",
  ),
  theme: (
    <Icon>
      <circle cx="12" cy="12" r="8" />
      <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" />
    </Icon>
  ),
  image: (
    <Icon>
      <rect x="4" y="5" width="16" height="14" rx="2" />
      <circle cx="9" cy="10" r="1.5" />
      <path d="M20 15.5l-4.5-4.5L6 19" />
    </Icon>
  ),
  close: lines("M6 6l12 12M18 6L6 18"),
  stop: (
    <Icon>
      <rect x="6.5" y="6.5" width="11" height="11" rx="2" fill="currentColor" />
    </Icon>
  ),
  copy: (
    <Icon>
      <rect x="9" y="9" width="11" height="11" rx="2" />
      <path d="M5 15V6a2 2 0 0 1 2-2h8" />
    </Icon>
  ),
  /** Points down; rotated when expanded. */
  open: lines("M6 9l6 6 6-6"),
};
