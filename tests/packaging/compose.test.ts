import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { landlockVersion } from '../../media/sandbox/libc.ts';
import { createBucket } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { type Composition, startComposition } from '../support/containers/composition.ts';
import { lackForContainers } from '../support/containers/network.ts';
import { doMainJob, type Front, newUser } from '../support/fixtures/main-job.ts';
import { builtProgram } from '../support/server/program.ts';
import { APP_URL, at } from '../support/server/scaled.ts';

const lack = builtProgram ? lackForContainers() : 'the built file';
const name = lack ? `compose.yaml as it is run (needs ${lack})` : 'compose.yaml as it is run';

describe.skipIf(lack !== null)(name, () => {
  let composition: Composition;
  let front: Front;
  /** The URL of a file with its token. */
  let fileUrl = '';
  const inside = (...command: string[]) => composition.container('wharf').run(...command);

  beforeAll(async () => {
    composition = await startComposition('compose.yaml', { values: { APP_URL } });
    front = {
      url: composition.address('wharf', 3000),
      outbox: [composition.volume('data', 'outbox')],
    };
  });
  afterAll(() => composition.stop());

  test('does the whole job without a right, on a root that it can only read', async () => {
    const user = await newUser(front);
    const bucket = await createBucket(front, user.token, 'Composed');
    fileUrl = await doMainJob(front, user, bucket);
    const fsck = await inside('wharf', 'fsck', '--json');
    expect(fsck).toMatchObject({ status: 0, stdout: '' });
  });

  test('runs as a user without rights, whose tools are confined as far as its health tells', async () => {
    const server = await composition.container('wharf').pid();
    const status = await readFile(`/proc/${server}/status`, 'utf8');
    const { user, group } = composition.image;
    expect(status).toMatch(new RegExp(`^Uid:(\\t${user}){4}$`, 'm'));
    expect(status).toMatch(new RegExp(`^Gid:(\\t${group}){4}$`, 'm'));
    expect(status).toMatch(/^Groups:\s*$/m);
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(status).toMatch(new RegExp(`^Cap${set}:\\t0+$`, 'm'));
    }
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    const { confinement } = await until(async () => {
      const health = await (await fetch(`${front.url}/health`)).json();
      return health.confinement !== null && health;
    });
    // None of these needs a capability or a namespace.
    const images = {
      unprivileged: true,
      noNetwork: true,
      noNamespaces: true,
      ownFilesOnly: landlockVersion() > 0,
      limits: true,
      diesWithParent: true,
    };
    expect(confinement).toEqual({ images, videos: { ...images, lowPriority: true } });
  });

  test('can write to its volume and to /tmp, and nowhere else on its disk', async () => {
    for (const path of ['/', '/etc', '/usr/local/bin', '/var/tmp', '/var/lib', '/run', '/home']) {
      const { status, stderr } = await inside('touch', `${path}/written`);
      expect([path, status, stderr]).toEqual([path, 1, expect.stringMatching(/Read-only|denied/)]);
    }
    for (const path of ['/data', '/tmp']) {
      expect((await inside('touch', `${path}/written`)).status).toBe(0);
    }
    const mounts = (await inside('cat', '/proc/self/mounts')).stdout.split('\n');
    const writable = mounts
      .map((line) => line.split(' '))
      .filter(([, , , options = '']) => options.split(',')[0] === 'rw')
      .map(([, path = '']) => path);
    const kernel = /^\/(proc|dev)(\/|$)/;
    expect(writable.filter((path) => !kernel.test(path)).sort()).toEqual(['/data', '/tmp']);
  });

  test('ends in order at SIGTERM, within the time that the file gives it, and goes on from its volume', async () => {
    expect(await composition.stopService('wharf')).toBe(0);
    expect(await composition.container('wharf').log()).not.toMatch(/"level":"(error|fatal)"/);
    await composition.start('wharf');
    const response = await fetch(at(front, fileUrl));
    expect(response.status).toBe(200);
  });
});
