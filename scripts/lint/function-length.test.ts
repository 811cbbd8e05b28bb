import { expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
const calls = (count: number) => '  f();\n'.repeat(count);
const declared = (lines: number) => `export function f() {\n${calls(lines - 2)}}\n`;
const method = (lines: number) => `export class A {\nf() {\n${calls(lines - 2)}}\n}\n`;
const table = (rows: number) => `export const f = () => [\n${'  1,\n'.repeat(rows)}];\n`;
const component = (lines: number) =>
  `export const F = () => (\n<p>\n${'text\n'.repeat(lines - 4)}</p>\n);\n`;

const allowed = {
  'server/short.ts': declared(60),
  'islands/short.tsx': component(100),
  'scripts/table.ts': table(80),
  'server/long.test.ts': declared(200),
  'tests/long.ts': declared(200),
  'server/platform/db/migrations/long.ts': declared(200),
};
const refused = {
  'server/function.ts': declared(61),
  'media/method.ts': method(61),
  'islands/component.tsx': component(101),
};

test('a function is at most 60 lines long and a component 100; tests and tables are free', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-lint-'));
  try {
    for (const path of ['biome.json', 'scripts/lint/function-length.grit']) {
      await cp(join(ROOT, path), join(folder, path));
    }
    for (const [path, text] of Object.entries({ ...allowed, ...refused })) {
      await Bun.write(join(folder, path), text);
    }
    const biome = join(ROOT, 'node_modules/.bin/biome');
    const command = [biome, 'lint', '--vcs-enabled=false', '--reporter=github', '.'];
    const lint = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'ignore' });
    const stdout = await new Response(lint.stdout).text();
    const paths = [...stdout.matchAll(/title=plugin,file=([^,]+),/g)].map(([, path = '']) => path);
    const names = paths.map((path) => path.slice(path.indexOf(folder) + folder.length + 1));
    expect(await lint.exited).toBe(1);
    expect(names.sort()).toEqual(Object.keys(refused).sort());
  } finally {
    await rm(folder, { recursive: true });
  }
});
