import { describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { allFeatures } from './layers.ts';
import { checkFiles, checkProject } from './scan.ts';

const ROOT = join(import.meta.dir, '../..');

/** Returns the rules that a project of these files breaks. */
const violationsOf = (files: Record<string, string>) =>
  checkFiles(new Map(Object.entries(files))).map((one) => one.rule);

/** Returns the rules that `file` breaks when it uses an import from `target`. */
const importing = (file: string, target: string) =>
  violationsOf({ [file]: `import { used } from '${target}';\nused();` });

test('the project itself breaks no rule', async () => {
  expect(await checkProject(ROOT)).toEqual([]);
});

test('every feature has its place in the order', async () => {
  const features = await readdir(join(ROOT, 'server/features'));
  expect(features.filter((one) => !allFeatures.includes(one))).toEqual([]);
});

const accounts = 'server/features/accounts/service.ts';
const files = 'server/features/files/service.ts';

describe.each([
  [1, 'server/contract/units.ts', '../errors.ts'],
  [1, 'server/contract/units.ts', 'ulid'],
  [1, 'server/contract/units.ts', 'elysia'],
  [1, 'server/contract/units.ts', './schemas/files.ts'],
  [1, 'server/contract/schemas/files.ts', 'ulid'],
  [1, 'server/contract/schemas/files.ts', '../../errors.ts'],
  [2, 'server/platform/queue/queue.ts', '../../features/files/service.ts'],
  [2, 'server/platform/mail/smtp.ts', '../../config/config.ts'],
  [2, 'server/platform/queue/queue.ts', '../../../media/video/probe.ts'],
  [3, accounts, '../buckets/service.ts'],
  [3, files, '../buckets/store.ts'],
  [3, files, '../buckets/routes.ts'],
  [3, files, '../../config/config.ts'],
  [3, files, '../../services.ts'],
  [3, files, '../../../media/video/probe.ts'],
  [3, 'server/features/uploads/service.ts', '../delivery/service.ts'],
  [3, 'server/features/landing/page.tsx', '../accounts/service.ts'],
  [3, 'server/features/realtime/routes.ts', '../uploads/service.ts'],
  [3, 'server/features/admin/service.ts', '../realtime/service.ts'],
  [3, 'server/web/render/document.tsx', '../../features/accounts/service.ts'],
  [4, 'islands/files/table.tsx', '../../server/errors.ts'],
  [4, 'islands/files/table.tsx', '../../server/features/files/page.tsx'],
  [4, 'islands/runtime/api.ts', '../../server/app.ts'],
  [4, 'islands/files/table.tsx', '../../server/contract/schemas/files.ts'],
  [4, files, '../../../islands/files/table.tsx'],
  [4, 'server/app.ts', '../islands/runtime/manifest.ts'],
  [5, 'media/worker/worker.ts', '../../server/errors.ts'],
  [5, 'media/worker/worker.ts', '../../server/contract/schemas/files.ts'],
  [5, 'media/worker/worker.ts', '../../server/platform/storage/port.ts'],
  [6, 'server/app.ts', './platform/db/sqlite/open.ts'],
  [6, files, '../../platform/storage/disk.ts'],
  [6, 'server/platform/queue/queue.ts', '../db/migrations/index.ts'],
  [6, 'media/worker/worker.ts', '../../server/platform/storage/disk.ts'],
  [7, 'islands/player.tsx', 'hls.js'],
  [7, 'islands/calendar.tsx', 'flatpickr'],
  [10, files, '../../../tests/support/services/postgres.ts'],
  [10, files, './service.test.ts'],
  [10, 'server/platform/mail/smtp.ts', './conformance.ts'],
])('rule %i', (rule, file, target) => {
  test(`rejects ${target} in ${file}`, () => {
    expect(importing(file, target)).toEqual([rule]);
  });
});

test.each([
  ['server/contract/units.ts', './limits.ts'],
  ['server/contract/schemas/files.ts', 'elysia'],
  ['server/contract/schemas/files.ts', '../limits.ts'],
  [files, '../../contract/schemas/files.ts'],
  ['server/platform/queue/queue.ts', '../../contract/limits.ts'],
  ['server/platform/db/sqlite/open.ts', './migrations/index.ts'],
  [files, '../../platform/storage/port.ts'],
  [files, '../../platform/queue/queue.ts'],
  [files, '../buckets/service.ts'],
  [files, '../accounts/guard.ts'],
  [files, './store.ts'],
  ['server/features/files/store.ts', 'kysely'],
  [files, '../../../docs/guide/tokens.md'],
  ['server/features/realtime/routes.ts', '../accounts/guard.ts'],
  ['server/features/files/page.tsx', '../../../islands/files/table.tsx'],
  ['server/web/mount.tsx', '../../islands/runtime/manifest.ts'],
  ['server/services.ts', './platform/db/sqlite/open.ts'],
  ['server/runtime/media-process.ts', '../platform/storage/disk.ts'],
  ['islands/player.tsx', 'flatpickr/dist/flatpickr.css'],
  ['media/image/image.ts', 'sharp'],
  ['server/platform/mail/smtp.test.ts', './outbox.ts'],
])('%s may import %s', (file, target) => {
  expect(importing(file, target)).toEqual([]);
});

describe('an import that only types use', () => {
  const text = `import type { App } from '../../server/app.ts';
    import { type Config } from '../../server/config/config.ts';
    export const page: [App, Config] | null = null;`;

  test('is free', () => {
    expect(violationsOf({ [files]: text.replaceAll('server/', '') })).toEqual([]);
  });

  test('is none to an island, but of the contract and its schemas', () => {
    expect(violationsOf({ 'islands/runtime/api.ts': text })).toEqual([4, 4]);
    const inline = `export const app: import('../../server/app.ts').App | null = null;`;
    expect(violationsOf({ 'islands/runtime/api.ts': inline })).toEqual([4]);
    const contract = `import type { CallName } from '../../server/contract/calls.ts';
      import type { CALLS } from '../../server/contract/schemas/calls.ts';
      export const call: [CallName, typeof CALLS] | null = null;`;
    expect(violationsOf({ 'islands/runtime/api.ts': contract })).toEqual([]);
    expect(violationsOf({ 'islands/runtime/api.test.ts': text })).toEqual([]);
  });

  test('does not hide a re-export or an import() of the same file', () => {
    const reexport = `export { app } from '../../server/app.ts';`;
    expect(violationsOf({ 'islands/runtime/api.ts': reexport })).toEqual([4]);
    const dynamicImport = `export const app = () => import('../../server/app.ts');`;
    expect(violationsOf({ 'islands/runtime/api.ts': dynamicImport })).toEqual([4]);
  });
});

test('rule 7 lets an effect load a library that needs window', () => {
  const text = `export const load = () => import('hls.js');`;
  expect(violationsOf({ 'islands/player.tsx': text })).toEqual([]);
});

describe('rule 8', () => {
  const importer = (target: string) =>
    `import { b } from '${target}';\nexport const a = () => b();`;

  test('finds a ring of three and tells the way round', () => {
    const ring = new Map([
      ['media/a.ts', importer('./b.ts')],
      ['media/b.ts', importer('./c.ts')],
      ['media/c.ts', importer('./a.ts')],
    ]);
    expect(checkFiles(ring)).toMatchObject([
      { rule: 8, target: 'media/a.ts → media/b.ts → media/c.ts → media/a.ts' },
    ]);
  });

  test('leaves two ways to one file alone', () => {
    expect(
      violationsOf({
        'media/a.ts': `${importer('./b.ts')}\nexport * from './c.ts';`,
        'media/b.ts': importer('./c.ts'),
        'media/c.ts': 'export const b = 1;',
      }),
    ).toEqual([]);
  });
});

describe('rule 9', () => {
  test.each([
    'export const home = process.env.HOME;',
    'export const all = process.env;',
    `export const live = process.env.NODE_ENV === 'production';`,
    'export const home = Bun.env.HOME;',
    `export const all = process['env'];`,
    'export const home = import.meta.env.HOME;',
    'export const { env: { HOME } } = process;',
    `import { env } from 'node:process';\nexport const home = env.HOME;`,
  ])('rejects %j', (text) => {
    expect(violationsOf({ 'media/video/probe.ts': text })).toEqual([9]);
    expect(violationsOf({ 'server/config/config.ts': text })).toEqual([]);
    expect(violationsOf({ 'scripts/build.ts': text })).toEqual([]);
  });

  test('leaves comments and other environments alone', () => {
    const text = `// process.env.HOME
      export const start = (env: object, run: (options: object) => void) => run({ env: { ...env } });`;
    expect(violationsOf({ 'media/video/probe.ts': text })).toEqual([]);
  });
});

test('rule 11 counts the source files of a folder, without its tests and sub-folders', () => {
  const folder = (count: number, name: (n: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`media/${name(n)}`, '']));
  expect(violationsOf(folder(21, (n) => `${n}.ts`))).toEqual([11]);
  expect(violationsOf(folder(20, (n) => `${n}.ts`))).toEqual([]);
  const beside = { ...folder(9, (n) => `${n}.test.ts`), ...folder(9, (n) => `sub/${n}.ts`) };
  expect(violationsOf({ ...folder(20, (n) => `${n}.ts`), ...beside })).toEqual([]);
});

describe('rule 12', () => {
  test.each([
    `export const all = (db) => db.selectFrom('files').selectAll().execute();`,
    `export const add = (tx) => tx\n  .insertInto('files').values({});`,
    `export const change = (tx) => tx.updateTable('files');`,
    `export const remove = (tx) => tx.deleteFrom('files');`,
    `import { sql } from 'kysely';\nexport const count = sql<number>\`count(*)\`;`,
    `import { Database } from 'bun:sqlite';\nexport const file = new Database('x');`,
    `import { Pool } from 'pg';\nexport const pool = new Pool();`,
    `import { SQL } from 'bun';\nexport const client = new SQL('x');`,
  ])('rejects %j outside a store', (text) => {
    expect(violationsOf({ [files]: text })).toEqual([12]);
    expect(violationsOf({ 'server/runtime/metrics.ts': text })).toEqual([12]);
    expect(violationsOf({ 'server/features/files/store.ts': text })).toEqual([]);
    expect(violationsOf({ 'server/cli/backup/manifest-store.ts': text })).toEqual([]);
    expect(violationsOf({ 'server/platform/db/migrations/0001_first.ts': text })).toEqual([]);
    expect(violationsOf({ 'server/platform/locks/postgres.ts': text })).toEqual([]);
    expect(violationsOf({ 'server/features/files/service.test.ts': text })).toEqual([]);
  });

  test('leaves comments and types alone', () => {
    const text = `import type { Kysely } from 'kysely';
      // db.selectFrom('files') is for the store.
      export const run = (db: Kysely<object>) => db;`;
    expect(violationsOf({ [files]: text })).toEqual([]);
  });
});

describe('rule 13', () => {
  test.each([
    `export const run = () => Bun.spawn(['true']);`,
    `export const run = () => Bun.spawnSync(['true']);`,
    'export const run = () => Bun.$`true`;',
    `import { spawn } from 'bun';\nexport const run = () => spawn(['true']);`,
    `const { spawnSync } = Bun;\nexport const run = () => spawnSync(['true']);`,
    `import { execFile } from 'node:child_process';\nexport const run = () => execFile('true');`,
  ])('rejects %j', (text) => {
    expect(violationsOf({ 'media/sandbox/process.ts': text })).toEqual([13]);
    expect(violationsOf({ 'server/runtime/build-info.ts': text })).toEqual([13]);
    expect(violationsOf({ 'media/sandbox/spawn.ts': text })).toEqual([]);
    expect(violationsOf({ 'media/testing/clips.ts': text })).toEqual([]);
  });
});

describe('rule 14', () => {
  const importing = (target: string) =>
    `import { b } from '${target}';\nexport const a = () => b();`;

  test('finds folders that import each other, by whichever of their files', () => {
    const files = new Map([
      ['media/video/video.ts', importing('../hls/hls.ts')],
      ['media/hls/hls.ts', 'export const b = 1;'],
      ['media/hls/playlist/master.ts', importing('../../video/h264.ts')],
      ['media/video/h264.ts', 'export const b = 1;'],
    ]);
    expect(checkFiles(files)).toMatchObject([
      { rule: 14, file: 'media', target: 'video → hls → video' },
    ]);
  });

  test('leaves a folder alone that is put together, and shared, by the one above', () => {
    expect(
      violationsOf({
        'server/features/files/service.ts': importing('./retention/trash.ts'),
        'server/features/files/retention/trash.ts': importing('../names.ts'),
        'server/features/files/names.ts': 'export const b = 1;',
      }),
    ).toEqual([]);
  });

  test('finds a folder of which the other one only uses a type', () => {
    const hls = `import type { B } from '../video/video.ts';\nexport const b: B = 1;`;
    const video = { 'media/video/video.ts': importing('../hls/hls.ts') };
    expect(violationsOf({ ...video, 'media/hls/hls.ts': hls })).toEqual([14]);
  });

  test('leaves tests alone', () => {
    expect(
      violationsOf({
        'media/video/video.ts': importing('../hls/hls.ts'),
        'media/hls/hls.ts': 'export const b = 1;',
        'media/hls/hls.test.ts': importing('../video/video.ts'),
      }),
    ).toEqual([]);
  });
});

describe('rule 6 about server/adapters', () => {
  const adapters = (text: string) => violationsOf({ 'server/adapters/operator.ts': text });

  test.each([
    `export { openSqlite } from '../platform/db/sqlite/open.ts';`,
    `export * from '../platform/db/sqlite/open.ts';`,
    `import { openSqlite } from '../platform/db/sqlite/open.ts';\nexport { openSqlite };`,
    `import { openSqlite } from '../platform/db/sqlite/open.ts';\nexport { openSqlite as open };`,
    `import { openSqlite as sqlite } from '../platform/db/sqlite/open.ts';\nexport { sqlite };`,
  ])('rejects %j', (text) => {
    expect(adapters(text)).toEqual([6]);
  });

  test('lets it export functions of its own', () => {
    const text = `import { openSqlite } from '../platform/db/sqlite/open.ts';
      export const open = (folder: string) => openSqlite(folder);`;
    expect(adapters(text)).toEqual([]);
  });
});

describe('rule 15', () => {
  test.each([
    ['islands/files/table/table.tsx', '../../tokens/token-calls.ts'],
    ['islands/ui/menu/menu.tsx', '../../tokens/token-calls.ts'],
    ['islands/page/copy.ts', '../tokens/shared/list.ts'],
  ])('rejects in %s %s', (file, target) => {
    expect(importing(file, target)).toEqual([15]);
  });

  test.each([
    ['islands/files/table/table.tsx', '../../tokens/shared.ts'],
    ['islands/files/table/table.tsx', '../drawer/drawer.tsx'],
    ['islands/files/table/table.tsx', '../../ui/menu/menu.tsx'],
    ['islands/files/table/table.tsx', '../../runtime/api.ts'],
    ['islands/files/table/table.tsx', '../../page/copy.ts'],
    ['islands/runtime/manifest.ts', '../tokens/api-key-island.tsx'],
  ])('lets %s import %s', (file, target) => {
    expect(importing(file, target)).toEqual([]);
  });
});

describe('rule 16', () => {
  const keeping = (text: string) => violationsOf({ 'server/runtime/health.ts': text });

  test.each([
    'let open: Promise<number> | null = null;\nexport const get = () => (open ??= load());',
    'class A { private open?: Promise<number>;\n get() { this.open ??= load().then((n) => n); } }',
    'class A { #open: Promise<number> | undefined;\n get() { this.#open ??= this.load(); } }',
  ])('rejects %j', (text) => {
    expect(keeping(text)).toEqual([16]);
  });

  test.each([
    'let run: Promise<void> | null = null;\nrun ??= work().finally(() => { run = null; });',
    'let timer: Timer | null = null;\ntimer ??= setTimeout(work, 1);',
    'let loaded: number | undefined;\nloaded ??= await load();',
  ])('accepts %j', (text) => {
    expect(keeping(text)).toEqual([]);
  });
});
