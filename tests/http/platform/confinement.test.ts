import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { confineDecoder } from '../../../media/sandbox/confine.ts';
import { LAUNCHER } from '../../../media/sandbox/policy.ts';
import { processesIn } from '../../../media/testing/processes.ts';
import { createBucket, signUp, uploadImage } from '../../support/client/api.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import { builtProgram } from '../../support/server/program.ts';
import { type ServerProcess, startServerProcess } from '../../support/server/server-process.ts';

const isRoot = process.getuid?.() === 0;

describe('the process that decodes an image', () => {
  let server: ServerProcess;
  let decoder = 0;
  const at = (name: string) => `/proc/${decoder}/${name}`;
  const work = () => join(server.dataDir, 'work');

  beforeAll(async () => {
    server = await startServerProcess({ env: { APP_SECRET: 'a-secret-of-32-bytes-or-even-more' } });
    const bucket = await createBucket(server, (await signUp(server)).token);
    await uploadImage(server, bucket, new File([(await makePhoto()) as never], 'photo.jpg'));
    // It stays for some seconds in case that more images follow.
    [decoder = 0] = processesIn(work());
  });
  afterAll(() => server.stop());

  test('has no rights, no network, no secret and no file of the server', () => {
    const status = readFileSync(at('status'), 'utf8');
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    if (isRoot) {
      expect(status).toMatch(/^Uid:(\t65534){4}$/m);
      expect(readlinkSync(at('ns/net'))).not.toBe(readlinkSync('/proc/self/ns/net'));
    }
    for (const thread of readdirSync(at('task'))) {
      expect(readFileSync(at(`task/${thread}/status`), 'utf8')).toMatch(/^Seccomp:\t2$/m);
    }
    expect(readFileSync(at('environ'), 'utf8')).not.toMatch(/secret|STORAGE|DATABASE/i);
    const open = readdirSync(at('fd')).map((fd) => readlinkSync(at(`fd/${fd}`)));
    expect(open.filter((path) => path.startsWith(server.dataDir))).toEqual([]);
  });

  test('is one of a program whose launcher keeps others from the secret and the database', async () => {
    const own = work();
    const names = readdirSync(server.dataDir).filter((name) => /secret|\.db/.test(name));
    const script = names.map((name) => `cat ${join(server.dataDir, name)}`).join(';');
    const command = confineDecoder(['/bin/sh', '-c', `${script}; echo end`], {
      ...{ cwd: own, fileBytes: 0, files: { read: [], write: [own] }, list: ['/'] },
    });
    const [, , ...rest] = command;
    const confined = builtProgram ? [builtProgram, LAUNCHER, ...rest] : command;
    const child = Bun.spawn(confined, { stdio: ['ignore', 'pipe', 'pipe'] });
    expect(await new Response(child.stdout).text()).toBe('end\n');
    const refusals = (await new Response(child.stderr).text()).match(/Permission denied/g);
    expect(refusals?.length).toBe(names.length);
  });
});
