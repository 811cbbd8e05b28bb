import { afterAll, describe, expect, test } from 'bun:test';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMailer } from './conformance.ts';
import { openOutboxMailer } from './outbox.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-outbox-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const from = 'Wharf <post@wharf.example>';
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

async function open(name: string) {
  const folder = join(base, name, 'outbox');
  const announced: string[] = [];
  const announce = (path: string) => announced.push(path);
  return { folder, announced, mailer: await openOutboxMailer({ folder, from, announce }) };
}

describeMailer('the outbox', async () => {
  const { mailer, announced } = await open('conformance');
  return {
    mailer,
    received: () => Promise.all(announced.map((path) => readFile(path, 'utf8'))),
    close: async () => {},
  };
});

describe('the outbox by itself', () => {
  test('names mails so that they sort by time and stay in the folder', async () => {
    const { folder, announced, mailer } = await open('names');
    for (const to of ['zoe@example.com', 'a/../../b@example.com', 'ada+x@example.com']) {
      await mailer.send({ to, subject: 'x', text: 'x' }).catch(() => {});
      await Bun.sleep(2);
    }
    await mailer.send({ to: 'a/b|c@example.com', subject: 'x', text: 'x' });
    const names = (await readdir(folder)).sort();
    expect(names.map((name) => name.replace(/^[\dT.]+Z-(.+)-[0-9a-f]{6}\.eml$/, '$1'))).toEqual([
      'zoe@example.com',
      'ada+x@example.com',
      'a_b_c@example.com',
    ]);
    expect(announced).toEqual(names.map((name) => join(folder, name)));
  });

  test('keeps the codes from other users of the machine, whatever the umask', async () => {
    const umask = process.umask(0);
    const { folder, announced, mailer } = await open('modes');
    await mailer.send({ to: 'ada@example.com', subject: 'x', text: '123456' });
    process.umask(umask);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(announced[0] ?? '')).toBe(0o600);

    await chmod(folder, 0o755);
    await openOutboxMailer({ folder, from, announce: () => {} });
    expect(await modeOf(folder)).toBe(0o700);
  });

  test('makes the folder again that somebody has removed', async () => {
    const { folder, announced, mailer } = await open('removed');
    await rm(folder, { recursive: true });
    await mailer.send({ to: 'ada@example.com', subject: 'x', text: 'x' });
    expect(await readdir(folder)).toHaveLength(1);
    expect(announced).toHaveLength(1);
  });

  test('removes at start what was never finished, and keeps the mails', async () => {
    const { folder, announced, mailer } = await open('partial');
    await mailer.send({ to: 'ada@example.com', subject: 'x', text: 'x' });
    await Bun.write(join(folder, 'half.eml.partial'), 'half');
    await openOutboxMailer({ folder, from, announce: () => {} });
    expect((await readdir(folder)).map((name) => join(folder, name))).toEqual(announced);
  });

  test('announces nothing that it could not write', async () => {
    const { folder, announced, mailer } = await open('gone');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'not a folder');
    const send = mailer.send({ to: 'ada@example.com', subject: 'x', text: 'x' });
    await expect(send).rejects.toThrow('EEXIST');
    expect(announced).toEqual([]);
  });
});
