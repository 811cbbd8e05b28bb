import { join } from 'node:path';

/** TypeScript; in JavaScript the compiler itself reads the names, as they have types. */
const GLOB = '{server,media,islands,scripts,tests,bench}/**/*.{ts,tsx}';
const COMMENT = /\/\*\*(?:(?!\*\/)[\s\S])*?\*\//g;
const PARAM = /@param\s+([\w.]+)/g;

/**
 * Returns the names after `@param` that no parameter of the function below the comment has. Of
 * `options.name`, one of the two must be there, as a parameter that is destructured has no name.
 */
export function findWrongParams(text: string): string[] {
  return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const names = [...comment.matchAll(PARAM)].map(([, name = '']) => name);
    if (names.length === 0) return [];
    const parameters = parametersAfter(text, index + comment.length);
    return names.filter(
      (name) => !name.split('.').some((part) => new RegExp(`\\b${part}\\b`).test(parameters)),
    );
  });
}

/** Returns the text from a position to the end of the first parentheses. */
function parametersAfter(text: string, position: number): string {
  let depth = 0;
  for (let at = text.indexOf('(', position); at >= 0 && at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(position, at);
  }
  return '';
}

if (import.meta.main) {
  const root = join(import.meta.dir, '../..');
  for await (const file of new Bun.Glob(GLOB).scan(root)) {
    for (const name of findWrongParams(await Bun.file(join(root, file)).text())) {
      console.error(`${file}: no parameter is called ${name}, which a comment describes.`);
      process.exitCode = 1;
    }
  }
}
