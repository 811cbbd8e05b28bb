import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readConfig } from '../server/config/config.ts';

const ROOT = join(import.meta.dir, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const FILES = ['*.md', 'bench/*.md', 'docs/**/*.md'].flatMap((pattern) =>
  [...new Bun.Glob(pattern).scanSync(ROOT)].sort(),
);

/** The id that GitHub and the guide give a heading. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
const findAnchors = (path: string) =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading));

test.each(FILES)('every link in %s leads to a file and a heading that exist', (path) => {
  const targets = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  for (const target of targets.filter((one) => !/^(https?:|\/)/.test(one))) {
    const [name = '', anchor] = target.split('#');
    const file = name === '' ? path : join(dirname(path), name);
    expect([target, existsSync(join(ROOT, file))]).toEqual([target, true]);
    if (anchor) expect([target, findAnchors(file).includes(anchor)]).toEqual([target, true]);
  }
});

test('the index of decisions lists each record once, under its number and title', () => {
  const index = read('docs/decisions/README.md');
  const listed = [...index.matchAll(/^\| (\d+) \| \[(.*)\]\((.*)\) \|$/gm)].map((row) =>
    row.slice(1),
  );
  const records = readdirSync(join(ROOT, 'docs/decisions'))
    .filter((name) => /^\d/.test(name))
    .map((name) => {
      const [, number = '', title = ''] =
        /^# (\d+)\. (.*)$/m.exec(read(`docs/decisions/${name}`)) ?? [];
      expect(name).toStartWith(`${number.padStart(4, '0')}-`);
      return [number, title, name];
    });
  expect(listed.sort()).toEqual(records.sort());
});

test('every number of a decision up to the highest has a record or says where it is', () => {
  const index = read('docs/decisions/README.md');
  const numbers = [...index.matchAll(/^\| ([\d ,to]+) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', ').flatMap((part) => {
      const [first = 0, last = first] = part.split(' to ').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    }),
  );
  numbers.sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: Math.max(...numbers) }, (_, index) => index + 1));
});

test('the guide lists every setting that the configuration reads, and no other', () => {
  const names = new Set<string>();
  const given: Record<string, string> = {
    APP_SECRET: 'x'.repeat(32),
    STORAGE_URL: 's3://files?region=x',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const watched = new Proxy(given, {
    get(target, name) {
      names.add(String(name));
      return target[String(name)];
    },
  });
  readConfig(watched);
  // PATH belongs to the system, not to Wharf.
  names.delete('PATH');
  // The program sets this one in the C library, before it reads anything.
  names.add('UV_THREADPOOL_SIZE');
  const [, section = ''] = read('docs/guide/settings.md').split(/^## .*$/m);
  const listed = [...section.matchAll(/^\| (`[A-Z].*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? [],
  );
  expect(listed.sort()).toEqual([...names].sort());
});
