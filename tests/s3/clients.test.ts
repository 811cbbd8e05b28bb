import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import { until } from '../support/client/wait.ts';
import { isTorture } from '../support/fixtures/torture.ts';
import { runCommand } from '../support/server/command.ts';
import { freePort } from '../support/server/free-port.ts';
import { startWharf, type Wharf } from './targets.ts';

/*
 * The clients that people have, as Debian packages them: each takes a folder there and back. Names that clients have
 * trouble with are theirs: s3cmd and rclone skip none of these.
 */

const FILES = isTorture ? 5000 : 40;
const ODD_NAMES = [
  ...['a b.txt', '.hidden', 'größe/ü.txt', 'plus+sign', 'per%41cent', "it's", 'a;b', 'a&b=c?d#e'],
  ...['[x]', '{y}', 'tilde~', '日本/写真.txt', '😀', 'a/b/c/d/e', 'dots..txt', 'a,b:c@d$e!f*g'],
];

/** Of the server, in MiB above what it takes without requests. */
const MAX_ADDED_MEMORY_MIB = 150;

let target: Wharf;
let home: string;
let source: string;
let expected: Map<string, string>;
let env: Record<string, string>;

/** Runs a client, and returns what it prints. Throws what it says where it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommand(args, env, { program: [program] });
  if (status !== 0)
    throw new Error(`${program} ${args[0]} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

/** Returns the hashes of all files below a folder by their paths. */
async function hashesBelow(folder: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    hashes.set(path.slice(folder.length + 1), hash);
  }
  return hashes;
}

const isOnPath = (program: string) => Bun.which(program) !== null;

beforeAll(async () => {
  target = await startWharf();
  home = await mkdtemp(join(tmpdir(), 'wharf-clients-'));
  source = join(home, 'source');
  const { accessKeyId, secretAccessKey } = target.accounts.main;
  env = {
    HOME: home,
    LANG: 'C.UTF-8',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: target.region,
    RCLONE_CONFIG_W_TYPE: 's3',
    RCLONE_CONFIG_W_PROVIDER: 'Other',
    RCLONE_CONFIG_W_ENV_AUTH: 'true',
    RCLONE_CONFIG_W_ENDPOINT: target.url,
    RESTIC_PASSWORD: 'harbour',
  };
  const bytes: [string, Uint8Array][] = [
    ...ODD_NAMES.map((name) => [name, Buffer.from(name)] as [string, Uint8Array]),
    ['empty', new Uint8Array()],
    // aws and s3cmd send it in parts.
    ['large.bin', randomBytes(20 * MIB)],
    ...Array.from({ length: FILES }, (_, at): [string, Uint8Array] => [
      `many/${at % 10}/${at} ${ODD_NAMES[at % ODD_NAMES.length]}`,
      Buffer.from(`file ${at}`),
    ]),
  ];
  for (const [name, content] of bytes) {
    const path = join(source, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  expected = await hashesBelow(source);
});
afterAll(async () => {
  await target?.stop();
  await rm(home, { recursive: true, force: true });
});

describe.skipIf(!isOnPath('aws'))('aws', () => {
  const aws = (...args: string[]) => run('aws', '--endpoint-url', target.url, ...args);

  test('takes a folder there and back, follows deletions, and presigns', async () => {
    await aws('s3', 'mb', 's3://aws-clients');
    await aws('s3', 'sync', source, 's3://aws-clients/a', '--only-show-errors');
    const back = join(home, 'aws');
    await aws('s3', 'sync', 's3://aws-clients/a', back, '--only-show-errors');
    expect(await hashesBelow(back)).toEqual(expected);
    expect(await aws('s3', 'sync', source, 's3://aws-clients/a')).toBe('');

    await rm(join(back, 'a b.txt'));
    await aws('s3', 'sync', back, 's3://aws-clients/a', '--delete', '--only-show-errors');
    const listed = await aws('s3', 'ls', '--recursive', 's3://aws-clients/a/');
    expect(listed.trim().split('\n')).toHaveLength(expected.size - 1);
    expect(listed).not.toContain(' a/a b.txt');

    const url = (await aws('s3', 'presign', 's3://aws-clients/a/per%41cent')).trim();
    expect(await (await fetch(url)).text()).toBe('per%41cent');
    await aws('s3', 'rb', '--force', 's3://aws-clients');
    expect(await aws('s3', 'ls')).not.toContain('aws-clients');
  });
});

describe.skipIf(!isOnPath('s3cmd'))('s3cmd', () => {
  const s3cmd = (...args: string[]) => {
    const { host } = new URL(target.url);
    const { accessKeyId, secretAccessKey } = target.accounts.main;
    const keys = [`--access_key=${accessKeyId}`, `--secret_key=${secretAccessKey}`];
    const hosts = ['--no-ssl', `--host=${host}`, `--host-bucket=${host}`];
    return run('s3cmd', ...hosts, ...keys, `--region=${target.region}`, '--quiet', ...args);
  };

  test('takes a folder there and back', async () => {
    await s3cmd('mb', 's3://s3cmd-clients');
    await s3cmd('sync', `${source}/`, 's3://s3cmd-clients/a/');
    const back = join(home, 's3cmd');
    await mkdir(back);
    await s3cmd('sync', 's3://s3cmd-clients/a/', `${back}/`);
    expect(await hashesBelow(back)).toEqual(expected);
    await s3cmd('rb', '--recursive', '--force', 's3://s3cmd-clients');
  });
});

describe.skipIf(!isOnPath('rclone'))('rclone', () => {
  test('takes a folder there, checks it, brings it back, and serves it', async () => {
    await run('rclone', 'mkdir', 'W:rclone-clients');
    // Its part size is not below 5 MiB.
    const inParts = ['--s3-upload-cutoff', '6M', '--s3-chunk-size', '5M'];
    await run('rclone', 'sync', ...inParts, source, 'W:rclone-clients/a');
    await run('rclone', 'check', source, 'W:rclone-clients/a');
    await run('rclone', 'check', '--download', source, 'W:rclone-clients/a');
    const back = join(home, 'rclone');
    await run('rclone', 'sync', 'W:rclone-clients/a', back);
    expect(await hashesBelow(back)).toEqual(expected);
    await run('rclone', 'moveto', "W:rclone-clients/a/it's", 'W:rclone-clients/a/moved');

    const port = await freePort();
    const serving = Bun.spawn(
      ['rclone', 'serve', 'http', 'W:rclone-clients/a', '--addr', `127.0.0.1:${port}`],
      { env: { PATH: process.env.PATH ?? '', ...env }, stdout: 'ignore', stderr: 'ignore' },
    );
    try {
      const read = (path: string) =>
        fetch(`http://127.0.0.1:${port}/${path}`).catch(() => new Response(null, { status: 503 }));
      await until(async () => (await read('moved')).status === 200);
      expect(await (await read('moved')).text()).toBe("it's");
      expect((await read("it's")).status).toBe(404);
    } finally {
      serving.kill();
      await serving.exited;
    }
    await run('rclone', 'purge', 'W:rclone-clients');
  });
});

describe.skipIf(!isOnPath('restic'))('restic', () => {
  test('backs a folder up twice, checks it, forgets, and restores it', async () => {
    const restic = (...args: string[]) =>
      run('restic', '--repo', `s3:${target.url}/restic-clients`, '--no-cache', ...args);
    await restic('init');
    await restic('backup', source);
    await writeFile(join(source, 'late.txt'), 'late');
    await restic('backup', source);
    await restic('check', '--read-data');
    await restic('forget', '--keep-last', '1', '--prune');
    await restic('check');
    const back = join(home, 'restic');
    await restic('restore', 'latest', '--target', back);
    const restored = await hashesBelow(join(back, source));
    await rm(join(source, 'late.txt'));
    restored.delete('late.txt');
    expect(restored).toEqual(expected);
  });
});

test('the server needs little memory for all of them', async () => {
  const added = await target.peakAboveIdle();
  console.log(`${FILES} files: up to ${added.toFixed(0)} MiB above idle`);
  expect(added).toBeLessThan(MAX_ADDED_MEMORY_MIB);
});
