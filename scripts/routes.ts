import { join } from 'node:path';
import { routesDocument } from './routes/document.ts';
import { readSources } from './routes/route-files.ts';
import { readRoutes } from './routes/route-table.ts';

/*
 * Compares docs/routes.md with what the server mounts, or with --write brings it up to date.
 */

const ROOT = join(import.meta.dir, '..');
const FILE = 'docs/routes.md';

const document = Bun.file(join(ROOT, FILE));
const wanted = routesDocument(await readRoutes(), await readSources(ROOT));
if (process.argv.includes('--write')) {
  await Bun.write(document, wanted);
} else if (!(await document.exists()) || (await document.text()) !== wanted) {
  console.error(`${FILE} is not what the server mounts. Run "npm run routes" and commit it.`);
  process.exitCode = 1;
}
