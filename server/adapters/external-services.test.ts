import { expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { lazyMailer } from './external-services.ts';

test('a mailer that could not be opened is opened again with the next mail', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-mailer-'));
  const folder = join(dataDir, 'outbox');
  // A file stands where the folder has to be.
  await Bun.write(folder, '');
  const mail = { kind: 'outbox', folder, from: 'wharf@example.com' };
  const mailer = lazyMailer({ mail } as Config, () => {});
  const letter = { to: 'ada@example.com', subject: 'Hello', text: 'Hello' };
  await expect(mailer.send(letter)).rejects.toThrow();
  await rm(folder);
  await mailer.send(letter);
  expect(await readdir(folder)).toHaveLength(1);
  await rm(dataDir, { recursive: true });
});
