import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BrowserContext } from '@playwright/test';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUN = join(ROOT, 'node_modules/.bin/bun');
const BUILD = join(ROOT, 'tests/support/server/development-build.ts');
const MANIFEST = join(ROOT, 'dist/assets/manifest.json');

type Names = Record<string, string>;

/**
 * Builds the browser's scripts with development React, which logs every hydration mismatch. Production
 * React does not report mismatched attributes.
 */
export async function buildDevelopmentReact() {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-development-'));
  await promisify(execFile)(BUN, [BUILD, folder], { cwd: ROOT });
  const names = JSON.parse(await readFile(join(folder, 'names.json'), 'utf8')) as Names;
  const { files } = JSON.parse(await readFile(MANIFEST, 'utf8')) as { files: Names };
  // Scripts import each other, and a script with two names would run twice.
  const renamed = Object.entries(names).flatMap(([name, file]) => {
    const original = files[name];
    return original ? [{ name, original, file }] : [];
  });
  const bodies = new Map<string, string>();
  for (const file of (await readdir(folder)).filter((one) => one.endsWith('.js'))) {
    const text = await readFile(join(folder, file), 'utf8');
    const original = renamed.find((one) => one.file === file)?.original ?? file;
    bodies.set(
      original,
      renamed.reduce((all, one) => all.replaceAll(one.file, one.original), text),
    );
  }
  await rm(folder, { recursive: true });

  return {
    names: renamed.map(({ name }) => name),
    /** Serves these scripts to the pages of a context. Returns the names of those that were requested. */
    async serveTo(context: BrowserContext): Promise<Set<string>> {
      const got = new Set<string>();
      await context.route('**/assets/*.js', (route) => {
        const requested = basename(new URL(route.request().url()).pathname);
        const body = bodies.get(requested);
        // The page preloads a chunk that none of these scripts imports.
        if (body === undefined) return route.continue();
        const own = renamed.find((one) => one.original === requested);
        if (own) got.add(own.name);
        return route.fulfill({ contentType: 'text/javascript', body });
      });
      return got;
    },
  };
}
