import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../server/app.ts';
import { loadConfig } from '../server/config/config.ts';
import { createLog } from '../server/platform/log.ts';
import { openServices } from '../server/services.ts';

/*
 * Compares docs/routes.md with the routes that the server mounts, or updates it with --write.
 */

const ROOT = join(import.meta.dir, '..');
const FILE = 'docs/routes.md';
const SOURCES = new Bun.Glob('server/**/*.{ts,tsx}');
const HEAD = `# Routes

Every route of the server, and the file that handles it. \`npm run routes\` writes this list from what the
server mounts, and \`npm run check\` fails where it is out of date. The summaries are those of the API
reference at /docs; a page has none, and needs the cookie of a session where its file says so.

| method | path | handler | authorised by | summary |
|---|---|---|---|---|
`;

export type Route = {
  method: string;
  path: string;
  /** Empty for a page, and for a call that is not part of the documented API. */
  summary: string;
  /** Ways to authorise, by the names of the OpenAPI document; empty where the route declares none. */
  auth: string[];
};

/** Returns every route that the app mounts, Bun's native delivery routes included. Serves nothing. */
export async function readRoutes(): Promise<Route[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-routes-'));
  try {
    const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    const services = await openServices(config, {
      log: createLog(config.logLevel),
      mediaCommand: [],
    });
    try {
      const app = createApp(services);
      return [...nativeRoutes(app.config.serve?.routes ?? {}), ...app.routes.map(toRoute)];
    } finally {
      await services.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const nativeRoutes = (routes: object): Route[] =>
  Object.entries(routes).flatMap(([path, handlers]) =>
    Object.keys(handlers).map((method) => ({ method, path, summary: '', auth: [] })),
  );

type Detail = { summary?: string; security?: Record<string, unknown>[] };

function toRoute({ method, path, hooks }: { method: string; path: string; hooks: object }): Route {
  const { summary = '', security = [] } = (hooks as { detail?: Detail }).detail ?? {};
  return { method, path, summary, auth: security.flatMap((one) => Object.keys(one)) };
}

/** Returns the text of every source file of the server, by its path from the project's folder. */
async function readSources(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const file of SOURCES.scan(root)) {
    if (/\.test\.tsx?$|\/testing\//.test(file)) continue;
    texts.set(file, await Bun.file(join(root, file)).text());
  }
  return texts;
}

/**
 * Returns the file that mounts a route. It is the one that names method and whole path, as in
 * `.get('/files/:bucketID'` or `['GET', '/files']`. Throws where that is not exactly one.
 */
export function fileOf({ method, path }: Route, texts: Map<string, string>): string {
  const quoted = `'${RegExp.escape(path)}'`;
  const mounted = new RegExp(
    `\\.${method.toLowerCase()}\\(\\s*${quoted}|'${method}',\\s*${quoted}|${quoted}: \\{[^}]*\\b${method}:`,
  );
  const files = [...texts].filter(([, text]) => mounted.test(text)).map(([file]) => file);
  const [file] = files;
  if (file && files.length === 1) return file;
  throw new Error(
    files.length === 0
      ? `No file mounts ${method} ${path} by its whole path, so that nobody finds it by its URL. Write the path out where it is mounted.`
      : `${files.join(' and ')} both mount ${method} ${path}.`,
  );
}

/** Returns the list of routes as Markdown, sorted by path and method. */
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

/** Compares by code units, so that the order is the same on every machine. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

if (import.meta.main) {
  const document = Bun.file(join(ROOT, FILE));
  const expected = routesDocument(await readRoutes(), await readSources(ROOT));
  if (process.argv.includes('--write')) {
    await Bun.write(document, expected);
  } else if (!(await document.exists()) || (await document.text()) !== expected) {
    console.error(`${FILE} is not what the server mounts. Run "npm run routes" and commit it.`);
    process.exitCode = 1;
  }
}
