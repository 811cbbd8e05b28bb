import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUN = join(ROOT, 'node_modules/.bin/bun');

/**
 * Starts a customer's site on another origin. `/` has the markup and runs the TypeScript with the real
 * libraries. The paths of `responses` respond with JSON. The caller must call `stop`.
 */
export async function startSite(options: {
  markup: string;
  code: string;
  responses?: Record<string, unknown>;
}) {
  const script = await bundle(options.code);
  const page = `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
    <body>${options.markup}<script type="module" src="/sample.js"></script></body></html>`;
  const site = createServer(({ url = '' }, response) => {
    const [type, body] =
      url === '/'
        ? ['text/html; charset=utf-8', page]
        : url === '/sample.js'
          ? ['text/javascript', script]
          : ['application/json', JSON.stringify(options.responses?.[url] ?? null)];
    response.setHeader('content-type', type).end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => new Promise((resolve) => site.close(resolve)),
  };
}

async function bundle(code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-site-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'sample.ts'), code);
    const arguments_ = ['build', 'sample.ts', '--target', 'browser', '--outfile', 'sample.js'];
    await promisify(execFile)(BUN, arguments_, { cwd: folder });
    return await readFile(join(folder, 'sample.js'), 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}
