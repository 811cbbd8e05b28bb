/**
 * Returns the first text behind all that begin with one; null where there is none. Texts are compared by their code
 * points, as UTF-8 is.
 */
export function raised(text: string): string | null {
  const characters = [...text];
  for (let at = characters.length - 1; at >= 0; at -= 1) {
    const code = characters[at]?.codePointAt(0) ?? 0;
    if (code >= 0x10ffff) continue;
    // Surrogates are no characters.
    const next = code === 0xd7ff ? 0xe000 : code + 1;
    return characters.slice(0, at).join('') + String.fromCodePoint(next);
  }
  return null;
}
