/** Ripgrep's file types as globs, for search tools that take only globs. */
const extensions: Readonly<Record<string, string>> = {
  c: "*.{c,h}",
  cpp: "*.{cc,cpp,cxx,h,hh,hpp,hxx,inl}",
  cs: "*.cs",
  css: "*.{css,scss}",
  go: "*.go",
  html: "*.{htm,html}",
  java: "*.java",
  js: "*.{js,jsx,cjs,mjs,vue}",
  json: "*.json",
  kotlin: "*.{kt,kts}",
  lua: "*.lua",
  markdown: "*.{markdown,md,mdx,mkd}",
  md: "*.{markdown,md,mdx,mkd}",
  php: "*.php",
  proto: "*.proto",
  py: "*.{py,pyi}",
  python: "*.{py,pyi}",
  rb: "*.rb",
  ruby: "*.rb",
  rs: "*.rs",
  rust: "*.rs",
  sh: "*.{bash,sh,zsh}",
  sql: "*.sql",
  svelte: "*.svelte",
  swift: "*.swift",
  toml: "*.toml",
  ts: "*.{cts,mts,ts,tsx}",
  txt: "*.txt",
  vue: "*.vue",
  xml: "*.xml",
  yaml: "*.{yaml,yml}",
};

export function globOfFileType(type: string): string | undefined {
  return Object.hasOwn(extensions, type) ? extensions[type] : undefined;
}
