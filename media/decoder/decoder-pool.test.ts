import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sharp } from '../image/sharp.ts';
import { ProcessorTime } from '../sandbox/processor-time.ts';
import { scratch } from '../testing/clips.ts';
import { seeded } from '../testing/mutations.ts';
import { telltale } from '../testing/pictures.ts';
import { processesIn, until } from '../testing/processes.ts';
import { NO_TRANSFORM } from '../transforms/testing/no-transform.ts';
import { DecoderPool } from './decoder-pool.ts';
import { decoderProgram } from './program.ts';
import type { DecodeTask } from './tasks.ts';

const folder = scratch();
afterAll(folder.remove);
const work = join(folder.path, 'work');
const picture = await telltale(1).png().toBuffer();
const files = { source: join(folder.path, 'source'), result: join(folder.path, 'result') };
const task = { kind: 'image', webp: true } as const;
const poolOf = (idleMs: number) =>
  new DecoderPool({ ...decoderProgram(''), workDir: work, idleMs });
await mkdir(work);

test('a stop also waits for a decoder that ends because it was idle', async () => {
  const idleMs = 1;
  const pool = poolOf(idleMs);
  await Bun.write(files.source, picture);
  await pool.decodeFor('account')(task, files, new AbortController().signal);
  // The timer of the idle decoder was set before this one, so it is over first.
  await Bun.sleep(idleMs);
  await pool.stop();
  expect(readdirSync(work)).toEqual([]);
  expect(processesIn(work)).toEqual([]);
});

test('what a decoder does counts for who has it done, and not for those who have had it before', async () => {
  const pool = poolOf(60_000);
  const large = await sharp({
    create: { width: 3000, height: 3000, channels: 3, background: '#468' },
  })
    .png()
    .toBuffer();
  const [first, second] = [new ProcessorTime(), new ProcessorTime()];
  const decode = async (bytes: Uint8Array) => {
    await Bun.write(files.source, bytes);
    await pool.decodeFor('account')(task, files, new AbortController().signal);
  };
  await first.measure(() => decode(large));
  const counted = first.ms;
  expect(counted).toBeGreaterThan(0);
  await second.measure(() => decode(picture));
  expect(first.ms).toBe(counted);
  expect(second.ms).toBeLessThan(counted);
  await pool.stop();
});

test('a decoder that starts when its task is cancelled ends at once', async () => {
  const pool = poolOf(60_000);
  await Bun.write(files.source, picture);
  const abort = new AbortController();
  const decoded = pool.decodeFor('account')(task, files, abort.signal);
  decoded.catch(() => {});
  await until(() => readdirSync(work).length > 0);
  abort.abort(new Error('cancelled'));
  await expect(decoded).rejects.toThrow('cancelled');
  expect(readdirSync(work)).toEqual([]);
  expect(await Bun.file(files.source).exists()).toBe(true);
});

/** Answers each task with its process id and the names in its folder, and leaves a file behind. */
const script = join(folder.path, 'decoder.ts');
await Bun.write(
  script,
  `import { readdirSync, writeFileSync } from 'node:fs';
  console.log('{"type":"ready"}');
  for await (const line of console) {
    writeFileSync('result', process.pid + ' ' + readdirSync('.').join());
    writeFileSync('left', 'a secret');
    const image = { ending: 'webp', width: 1, height: 1, duration: null };
    console.log(JSON.stringify({ type: 'done', image }));
  }`,
);
const { reads, lists } = decoderProgram('');
const command = [process.execPath, script];
const scripted = () =>
  new DecoderPool({ command, reads: [...reads, script], lists, workDir: work, idleMs: 60_000 });

/** Decodes for an owner. Returns which process did it, and the names that it found in its folder. */
async function decodeIn(pool: DecoderPool, owner: string) {
  const [source, result] = [crypto.randomUUID(), crypto.randomUUID()].map((name) =>
    join(folder.path, name),
  ) as [string, string];
  await Bun.write(source, 'image');
  await pool.decodeFor(owner)(task, { source, result }, new AbortController().signal);
  const [pid = '', names = ''] = (await Bun.file(result).text()).split(' ');
  return { pid: Number(pid), names };
}
const decoders = () => processesIn(work, script);

test('no decoder has two owners, whoever comes when', async () => {
  const pool = scripted();
  const random = seeded(7);
  const owners = new Map<number, string>();
  let reused = 0;
  const decodeSome = async () => {
    for (let count = 0; count < 20; count += 1) {
      const owner = `account ${Math.floor(random() * 3)}`;
      const { pid } = await decodeIn(pool, owner);
      expect(owners.get(pid) ?? owner).toBe(owner);
      if (owners.has(pid)) reused += 1;
      owners.set(pid, owner);
    }
  };
  await Promise.all([decodeSome(), decodeSome()]);
  expect(reused).toBeGreaterThan(0);
  await pool.stop();
  expect(processesIn(work)).toEqual([]);
});

test('where owners alternate, one that has decoded nothing waits for the next', async () => {
  const pool = scripted();
  const first = await decodeIn(pool, 'one');
  expect((await decodeIn(pool, 'one')).pid).toBe(first.pid);
  expect(decoders()).toEqual([first.pid]);
  const second = await decodeIn(pool, 'two');
  await until(() => decoders().length === 2 && !decoders().includes(first.pid));
  const [ready] = decoders().filter((pid) => pid !== second.pid);
  expect((await decodeIn(pool, 'three')).pid).toBe(ready as number);
  await pool.stop();
});

test('a decoder finds nothing of the image before', async () => {
  const pool = scripted();
  await decodeIn(pool, 'one');
  expect((await decodeIn(pool, 'one')).names).toBe('source');
  await pool.stop();
});

const SVG_SIDE = 4096;
const drawing = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${SVG_SIDE}" height="${SVG_SIDE}">${content}</svg>`;
const boxes = (count: number) => '<rect width="100%" height="100%"/>'.repeat(count);
const TURBULENCE = '<feTurbulence baseFrequency=".9" numOctaves="8"/>';
const COSTLY: [string, string, DecodeTask][] = [
  [
    'filters by a style sheet',
    `<style>rect{filter:url(#f)}</style><filter id="f">${TURBULENCE}</filter>${boxes(99)}`,
    task,
  ],
  [
    'masks by a style sheet, of a transform',
    `<style>rect{mask:url(#m)}</style><mask id="m"><circle r="9999" fill="#fff"/></mask>${boxes(999)}`,
    { kind: 'generate', transform: NO_TRANSFORM },
  ],
];
test.each(COSTLY)(
  'an SVG that would be drawn for minutes is given up soon: %s',
  async (_, content, costly) => {
    const pool = poolOf(60_000);
    await Bun.write(files.source, drawing(content));
    const decoded = pool.decodeFor('account')(costly, files, new AbortController().signal);
    await expect(decoded).rejects.toMatchObject({
      retry: 'never',
      message: expect.stringMatching(/too long/),
    });
    await pool.stop();
  },
);

test('only SVGs have a limit of processor time', async () => {
  const pool = poolOf(60_000);
  const limitAfter = async (bytes: string | Uint8Array) => {
    await Bun.write(files.source, bytes);
    await pool.decodeFor('account')(task, files, new AbortController().signal);
    const [pid] = processesIn(work);
    const [, seconds] =
      /^Max cpu time +(\w+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
    return Number(seconds);
  };
  expect(await limitAfter(drawing(''))).toBeLessThan(10);
  expect(await limitAfter(picture)).toBeGreaterThan(1e6);
  await pool.stop();
});
