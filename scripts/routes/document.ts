import { fileOf } from './route-files.ts';
import type { Route } from './route-table.ts';

const HEAD = `# Routes

Every route of the server, and the file that handles it. \`npm run routes\` writes this list from what the
server mounts, and \`npm run check\` fails where it is out of date. The summaries are those of the API
reference at /docs; a page has none, and needs the cookie of a session where its file says so.

| method | path | handler | authorised by | summary |
|---|---|---|---|---|
`;

/** The list of routes as Markdown, by path and method. */
export function routesDocument(routes: Route[], texts: Map<string, string>): string {
  const rows = routes
    .toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method))
    .map((route) => {
      const file = fileOf(route, texts);
      const cells = [
        route.method,
        `\`${route.path}\``,
        `[${file.replace(/^server\//, '')}](../${file})`,
        route.auth.join(', '),
        (route.summary || (file.endsWith('page.tsx') ? 'Page' : '')).replaceAll('|', '\\|'),
      ];
      return `| ${cells.join(' | ')} |\n`;
    });
  return HEAD + rows.join('');
}

/** By code units: the same on every machine. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
