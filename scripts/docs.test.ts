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

/** Other forms of words that have one form: log in, log out, signup, and British endings. */
const OTHER_FORMS =
  /(?<![/\w-])(sign(ed|s|ing)?[ -](in|out)|log(ged)? (on|off)|sign-ups?|(authoriz|optimiz|recogniz|analyz)(ed|es|ing)|canceled|behaviors?)(?![\w-])/i;
const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '');
/** What people read: documents, pages and mails. Decisions and benchmarks are for those who change the code. */
const READ_BY_PEOPLE = [
  ...FILES.filter((path) => !/^(bench|docs\/decisions)\//.test(path)),
  ...['{islands,server}/**/*.tsx', 'server/**/*mail*.ts'].flatMap((pattern) =>
    [...new Bun.Glob(pattern).scanSync(ROOT)].filter((path) => !path.includes('.test.')).sort(),
  ),
];

test('words that people read have one form', () => {
  const others = READ_BY_PEOPLE.flatMap((path) => {
    const text = path.endsWith('.md') ? withoutCode(read(path)) : withoutComments(read(path));
    return text.split('\n').flatMap((line) => (OTHER_FORMS.test(line) ? [`${path}: ${line}`] : []));
  });
  expect(READ_BY_PEOPLE.length).toBeGreaterThan(200);
  expect(others).toEqual([]);
});

const WITH_CURL = FILES.filter((path) => path === 'README.md' || path.startsWith('docs/guide/'));

test.each(WITH_CURL)('curl in %s has the form of the reference: URL, headers, body', (path) => {
  // What installs a release, and what follows a pipe, is no call.
  const commands = [...read(path).matchAll(/^ *(curl (?!-fsSL)(?:.*\\\n)*.*)$/gm)];
  for (const [, command = ''] of commands) {
    const [first = '', ...options] = command.split(/ \\\n */);
    expect(first).toMatch(/^curl (-X (POST|PUT|PATCH|DELETE) )?"[^"]+"(?! -[HFd] )/);
    for (const option of options) expect(option).toMatch(/^-(H ["'][A-Z][\w-]+: |[Fdow] )/);
    // With a body, curl sends POST by itself.
    expect(command).not.toMatch(/-X POST [\s\S]* -[Fd] /);
    expect(command).not.toMatch(/\$(KEY|BUCKET|FILE|TOKEN)\b/);
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
