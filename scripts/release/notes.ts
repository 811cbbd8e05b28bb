/**
 * The part of a changelog about a version, under the version as its title; null where it has none, or
 * an empty one.
 * @param changelog in the form of Keep a Changelog: `## 1.2.3 - 2026-11-22`, also with `[1.2.3]`
 */
export function notesOf(changelog: string, version: string): string | null {
  const [, ...parts] = changelog.split(/^## /m);
  const isOfVersion = new RegExp(`^\\[?${RegExp.escape(version)}\\]?(?![\\w.-])`);
  const part = parts.find((one) => isOfVersion.test(one));
  const text = part?.slice(part.indexOf('\n')).trim();
  return text ? `# Wharf ${version}\n\n${text}\n` : null;
}
