import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../testing/clips.ts';
import { confineDecoder, describeTool } from './confine.ts';
import { chownToToolUser, reclaimFromToolUser } from './ownership.ts';
import { runTool, type ToolRun } from './process.ts';
import { spawnTool } from './spawn.ts';
import { readTail } from './streams.ts';

const folder = scratch();
const holds = await describeTool('sh');
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('seen') });
afterAll(() => {
  server.stop(true);
  folder.remove();
});

const limits = { cpuSeconds: 20, memoryBytes: 2 ** 30, fileBytes: 2 ** 20 };
const shell = (script: string, more: Partial<ToolRun> = {}) =>
  runTool({
    ...{ command: ['bash', '-c', script], cwd: folder.path, timeoutMs: 540_000, limits },
    signal: new AbortController().signal,
    ...more,
  });
const isRoot = process.getuid?.() === 0;

test('what is said to hold, does', async () => {
  const { stdout } = await shell(
    `id -u; ulimit -t; nice; unshare --user true && echo inner || echo outer; exec 3<>/dev/tcp/127.0.0.1/${server.port} && echo reached || echo alone`,
  );
  const [user, seconds, niceness, namespace, network] = stdout.trim().split('\n');
  expect(user !== '0').toBe(holds.unprivileged);
  expect(seconds === '20').toBe(holds.limits);
  expect(Number(niceness) >= 10).toBe(holds.lowPriority);
  expect(namespace === 'outer').toBe(holds.noNamespaces);
  expect(network === 'alone').toBe(holds.noNetwork);
});

test('a tool in the background has the lowest priority', async () => {
  const inBackground = { ...limits, isBackground: true };
  const { stdout } = await shell('nice', { limits: inBackground });
  expect(Number(stdout) >= 19).toBe(holds.lowPriority);
});

test('a program that is not there is not said to run unprivileged by root', async () => {
  expect((await describeTool('/nonexistent/ffmpeg')).unprivileged).toBe(!isRoot);
});

test('nothing is said of a program that has not started in time', async () => {
  const slow = join(folder.path, 'slow');
  await Bun.write(slow, '#!/bin/sh\nkill -KILL $$\n');
  chmodSync(slow, 0o755);
  await expect(describeTool(slow)).rejects.toThrow('did not start in time');
});

describe.skipIf(!isRoot || !holds.unprivileged)('a tool of a server that runs as root', () => {
  test('reads nothing outside of its folder that others may not read', async () => {
    const secret = join(folder.path, 'secret');
    await Bun.write(secret, 'secret');
    chmodSync(secret, 0o600);
    await expect(shell(`cat ${secret}`)).rejects.toThrow('Permission denied');
  });

  test('writes in its private folder although it cannot enter the one above, and leaves it ours', async () => {
    const parent = join(folder.path, 'parent');
    const cwd = join(parent, 'private');
    mkdirSync(cwd, { recursive: true });
    await Bun.write(join(cwd, 'source'), 'source');
    for (const path of [parent, cwd]) chmodSync(path, 0o700);
    chmodSync(join(cwd, 'source'), 0o600);
    await shell('cat source > made; mkdir sub; echo x > sub/other', { cwd, isPrivate: true });
    for (const name of ['', 'source', 'made', 'sub', 'sub/other']) {
      expect(statSync(join(cwd, name)).uid).toBe(0);
    }
    await expect(shell(`cat ${cwd}/source`, { cwd })).rejects.toThrow('denied');
  });

  test('gains no privileges by a program that would give them', async () => {
    const { stdout } = await shell('grep NoNewPrivs /proc/self/status');
    expect(stdout).toMatch(/1$/m);
  });
});

describe('what a tool must not leave behind', () => {
  const traps: [string, (path: string) => void][] = [
    ['a symbolic link', (path) => symlinkSync('/etc/passwd', path)],
    ['a second name of another file', (path) => linkSync(join(folder.path, 'other'), path)],
  ];
  test.each(traps)('%s', async (name, lay) => {
    await Bun.write(join(folder.path, 'other'), 'other');
    const cwd = join(folder.path, name);
    mkdirSync(join(cwd, 'audio'), { recursive: true });
    await reclaimFromToolUser(cwd);
    lay(join(cwd, 'audio/seg_00000.m4s'));
    await expect(reclaimFromToolUser(cwd)).rejects.toMatchObject({
      name: 'MediaFailure',
      retry: 'never',
    });
  });
});

describe.skipIf(!holds.ownFilesOnly)('a tool, and a decoder of images,', () => {
  const secret = join(folder.path, 'readable');
  const cwd = join(folder.path, 'own');
  const attack = `cat ${secret} || echo unread
    cat /proc/${process.pid}/environ >/dev/null && echo environment || echo unseen
    echo x > ${folder.path}/written || echo unwritten
    ln -s ${secret} link || echo unlinked
    unshare --user true || echo outer
    echo x > own && cat own`;
  const outcome = 'unread\nunseen\nunwritten\nunlinked\nouter\nx\n';
  const tried = `${attack}; exec 3<>/dev/tcp/127.0.0.1/${server.port}`;
  beforeAll(async () => {
    await Bun.write(secret, 'secret');
    chmodSync(secret, 0o644);
    mkdirSync(cwd);
  });

  test('reach only their own files, and no socket', async () => {
    const tool = await shell(attack, { cwd, isPrivate: true });
    expect(tool.stdout).toBe(outcome);
    await expect(shell(tried, { cwd, isPrivate: true })).rejects.toThrow('socket: Permission');

    const files = { read: [], write: [cwd] };
    const policy = { cwd, fileBytes: 1000, files, list: ['/'] };
    // A decoder becomes nobody by itself, once it has started.
    await chownToToolUser(cwd);
    const asNobody = isRoot ? ['/usr/bin/setpriv', '--reuid=65534', '--clear-groups', '--'] : [];
    const command = confineDecoder([...asNobody, '/bin/bash', '-c', tried], policy);
    const decoder = spawnTool(command, cwd);
    expect(await new Response(decoder.stdout).text()).toBe(outcome);
    expect(await readTail(decoder.stderr)).toContain('socket: Permission denied');
  });

  test('reach nothing beside a program that is in no folder of programs', async () => {
    const beside = join(folder.path, 'beside');
    mkdirSync(beside, { recursive: true });
    copyFileSync('/bin/cat', join(beside, 'cat'));
    chmodSync(beside, 0o755);
    await Bun.write(join(beside, 'secret'), 'secret');
    const command = [join(beside, 'cat'), join(beside, 'secret')];
    await expect(shell('', { command })).rejects.toThrow('Permission denied');
  });

  test('read what they are given', async () => {
    const { stdout } = await shell(`cat ${secret}`, { sources: [secret] });
    expect(stdout).toBe('secret');
  });
});
