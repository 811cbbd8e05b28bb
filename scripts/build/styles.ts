import { join } from 'node:path';
import type { AssetFolder } from './writer.ts';

/**
 * Tailwind's own command line makes half the CSS of the Bun plugin. `/assets/NAME` in it becomes
 * the hashed name.
 */
export async function buildStyles(
  root: string,
  folder: AssetFolder,
  statics: Record<string, string>,
  development: boolean,
) {
  const tool = Bun.spawn(
    [
      process.execPath,
      '--bun',
      join(root, 'node_modules/.bin/tailwindcss'),
      '--input',
      join(root, 'server/web/styles/app.css'),
      ...(development ? [] : ['--minify']),
    ],
    { cwd: root, stdout: 'pipe', stderr: 'pipe' },
  );
  const [css, complaint, status] = await Promise.all([
    new Response(tool.stdout).text(),
    new Response(tool.stderr).text(),
    tool.exited,
  ]);
  if (status !== 0) throw new Error(`tailwindcss failed:\n${complaint}`);
  const named = css.replace(/\/assets\/([\w.-]+)/g, (_whole, logical: string) => {
    const file = statics[logical];
    if (!file) throw new Error(`The styles name /assets/${logical}, which nothing makes.`);
    return `/assets/${file}`;
  });
  await folder.add('app.css', new TextEncoder().encode(named));
}
