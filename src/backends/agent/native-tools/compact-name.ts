/** `file_path`, `filePath`, `FilePath` and `-i`, `i` are the same word in different spellings. */
export function compactName(name: string): string {
  return name.replace(/[^a-z0-9]/gi, "").toLowerCase();
}
