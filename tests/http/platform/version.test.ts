import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../../package.json';
import { readSource } from '../../../server/runtime/build-info.ts';
import { runCommand } from '../../support/server/command.ts';
import { ROOT } from '../../support/server/program.ts';

const { dependencies, version } = packageJson;
const versionOutput = async (env: Record<string, string> = {}) => {
  const { stdout, stderr, status } = await runCommand(['version', '--json'], env);
  expect([stderr, status]).toEqual(['', 0]);
  return JSON.parse(stdout);
};

describe('the version', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wharf-version-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Makes a folder with programs of these names, which print `text` and exit with `status`. */
  async function pretendFfmpeg(name: string, text: string, status = 0) {
    for (const tool of ['ffmpeg', 'ffprobe']) {
      const path = join(folder, name, tool);
      await Bun.write(path, `#!/bin/sh\necho '${text}'\nexit ${status}\n`);
      await chmod(path, 0o755);
    }
    return join(folder, name);
  }

  test('is one plain line', async () => {
    for (const argument of ['version', '--version']) {
      expect(await runCommand([argument], {})).toEqual({
        status: 0,
        stdout: `wharf ${version}\n`,
        stderr: '',
      });
    }
  });

  test('as JSON tells what the program is made of, and nothing else', async () => {
    const ffmpeg = await pretendFfmpeg('good', 'ffmpeg version 5.1.9-0 Copyright');
    const { commit, commit_date, ...others } = await versionOutput({ FFMPEG_PATH: ffmpeg });
    expect([commit, commit_date]).not.toContain(undefined);
    expect(others).toEqual({
      name: 'wharf',
      version,
      bun: dependencies.bun,
      sharp: dependencies.sharp,
      libvips: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      ffmpeg: '5.1.9-0',
      engine: 'sqlite',
      storage: 'disk',
      platform: 'linux',
      arch: process.arch,
    });
  });

  const { commit } = readSource(ROOT);
  test.skipIf(!commit)('names the commit and its date in UTC', async () => {
    const { commit, commit_date } = await versionOutput();
    expect(commit).toMatch(/^[0-9a-f]{40}(-dirty)?$/);
    expect(new Date(commit_date).toISOString()).toBe(commit_date);
    const git = Bun.spawnSync([
      'git',
      '-C',
      ROOT,
      'show',
      '-s',
      '--format=%ct',
      commit.slice(0, 40),
    ]);
    expect(Number(git.stdout.toString()) * 1000).toBe(Date.parse(commit_date));
  });

  test('says which kinds of parts are set up, from what is set', async () => {
    const database = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect(await versionOutput(database)).toMatchObject({ engine: 'postgres', storage: 'disk' });
    const bucket = { STORAGE_URL: 's3://files?region=x' };
    expect(await versionOutput(bucket)).toMatchObject({ engine: 'sqlite', storage: 's3' });
    expect(await versionOutput({ DATABASE_URL: ' ', STORAGE_URL: '' })).toMatchObject({
      engine: 'sqlite',
      storage: 'disk',
    });
  });

  test('is told with wrong settings too, and makes no data folder', async () => {
    const dataDir = join(folder, 'data');
    const wrong = { DATA_DIR: dataDir, PORT: 'x', APP_SECRET: 'short', DATABASE_URL: 'nonsense' };
    expect(await versionOutput(wrong)).toMatchObject({ version, engine: 'postgres' });
    expect(await readdir(folder)).not.toContain('data');
  });

  test('has no ffmpeg where none is, or none that starts or says its version', async () => {
    expect((await versionOutput({ FFMPEG_PATH: join(folder, 'nothing') })).ffmpeg).toBeNull();
    expect(
      (await versionOutput({ FFMPEG_PATH: await pretendFfmpeg('broken', 'x', 1) })).ffmpeg,
    ).toBeNull();
    const unfit = await pretendFfmpeg('unfit', '');
    await Bun.write(join(unfit, 'ffmpeg'), 'not a program');
    expect((await versionOutput({ FFMPEG_PATH: unfit })).ffmpeg).toBeNull();
  });

  test('takes no other option', async () => {
    const { status, stdout, stderr } = await runCommand(['version', '--xml'], {});
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

test('a folder that is no repository of its own names no commit, also inside another one', async () => {
  expect(readSource(join(ROOT, 'docs'))).toEqual({ commit: null, commit_date: null });
});
