/**
 * What a download of an object is called: the user's name with the ending of what is delivered.
 * Objects beside the one that a viewer opens first say which they are: 'clip-poster.webp'.
 * @param file.name as it was uploaded @param file.entry the object that is opened first
 * @param object the object's name below the file
 */
export function deliveredName(
  file: { name: string; entry: string | null },
  object: string,
): string {
  const base = file.name.replace(/(?<=.)\.[^.]*$/u, '');
  if (object !== file.entry) return `${base}-${object.replaceAll('/', '-')}`;
  return base + object.slice(object.lastIndexOf('.'));
}
