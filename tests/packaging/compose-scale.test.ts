import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import type { BucketDetailWire } from '../../server/contract/wire.ts';
import { createBucket, sendFile } from '../support/client/api.ts';
import { stubbornClient } from '../support/client/stubborn-client.ts';
import { until } from '../support/client/wait.ts';
import { type Composition, startComposition } from '../support/containers/composition.ts';
import { lackForContainers } from '../support/containers/network.ts';
import { lackOfStandIns } from '../support/containers/stand-ins.ts';
import { doMainJob, type Front, newUser, sender } from '../support/fixtures/main-job.ts';
import { clip, photo } from '../support/fixtures/make-media.ts';
import { builtProgram } from '../support/server/program.ts';
import { APP_URL, at, type ScaledUser } from '../support/server/scaled.ts';
import { hasRgw, KEYS, type OwnRgw, startOwnRgw } from '../support/services/rgw.ts';

const WEBS = ['web-1', 'web-2'];
const MEDIAS = ['media-1', 'media-2'];
const SIZE = '160x90';
const LOOK_INTERVAL_MS = 50;
const PICTURE_INTERVAL_MS = 300;
const lacks = [
  !builtProgram && 'the built file',
  lackForContainers(),
  ...(await lackOfStandIns()),
  !hasRgw && 'Ceph',
].filter(Boolean);
const name = 'compose.scale.yaml as it is run';

describe.skipIf(lacks.length > 0)(lacks.length > 0 ? `${name} (needs ${lacks})` : name, () => {
  let composition: Composition;
  let front: Front;
  let user: ScaledUser;
  let bucket: BucketDetailWire;
  /** The URL of a private file with its token. */
  let fileUrl = '';
  /** The ids of the uploaded files. */
  const fileIds: string[] = [];

  beforeAll(async () => {
    const rgw = (await startOwnRgw()) as OwnRgw;
    await rgw.bucket('wharf');
    composition = await startComposition('compose.scale.yaml', {
      values: {
        APP_URL,
        APP_SECRET: 'of the tests, and of nothing else',
        POSTGRES_PASSWORD: 'of-the-tests',
        S3_KEY: KEYS.accessKeyId,
        S3_SECRET: KEYS.secretAccessKey,
        GARAGE_RPC_SECRET: 'of a Garage that is not there',
      },
      // Debian has no package of Garage. RADOS Gateway answers the same calls at its name and port.
      outside: { garage: (host) => rgw.gateway(`${host}:3900`) },
    });
    front = {
      url: composition.address('nginx', 8080),
      outbox: WEBS.map((web) => composition.volume(web, 'outbox')),
    };
  });
  afterAll(() => composition?.stop());

  test('does the whole job through its nginx', async () => {
    user = await newUser(front);
    bucket = await createBucket(front, user.token, 'Composed');
    fileUrl = await doMainJob(front, user, bucket);
  });

  test('one of each kind of its services is killed, and the work goes on', async () => {
    const client = stubbornClient({ url: APP_URL, bucket, send: sender(front) });
    const [picture, film] = [await photo(), await clip({ seconds: 2 })];
    const encodes = async (media: string) =>
      (await readdir(composition.volume(media, 'work')).catch(() => [])).length > 0;
    /** Returns the media process that works on a file at this moment. */
    const busyMedia = async () => {
      for (const media of MEDIAS) if (await encodes(media)) return media;
    };
    for (const [n, service] of ['media', 'web-1', 'postgres', 'garage', 'nginx'].entries()) {
      let isBack = false;
      const pictures = async () => {
        for (let m = 0; !isBack; m += 1, await Bun.sleep(PICTURE_INTERVAL_MS)) {
          fileIds.push(await client.image(picture, `picture-${n}-${m}.jpg`));
        }
      };
      const sent = Promise.all([client.chunked(film, `film-${n}`, SIZE), pictures()]);
      sent.catch(() => {});
      const crashing = service === 'media' ? await until(busyMedia) : service;
      await composition.crash(crashing);
      isBack = true;
      fileIds.push((await sent)[0]);
    }
  });

  test('each process of Wharf is replaced in its turn, and who looks at a file sees nothing of it', async () => {
    const expected = await (await fetch(at(front, fileUrl))).bytes();
    const countsByProcess = new Map<string, number>();
    let isOver = false;
    const look = async () => {
      for (; !isOver; await Bun.sleep(LOOK_INTERVAL_MS)) {
        const response = await fetch(at(front, fileUrl));
        const isComplete = Bun.deepEquals(await response.bytes(), expected);
        const what = `${response.status}, ${isComplete ? 'whole' : 'not whole'}`;
        countsByProcess.set(what, (countsByProcess.get(what) ?? 0) + 1);
      }
    };
    const looking = look();
    looking.catch(() => {});
    /**
     * Waits until nginx sends requests to a process again, which it does a second after it found it
     * unavailable.
     */
    const isRequested = async (web: string) => {
      const { log } = composition.container(web);
      const before = (await log()).length;
      await until(async () => (await log()).slice(before).includes(`/${bucket.id}/`));
    };
    for (const service of [...WEBS, ...MEDIAS]) {
      const film = await clip({ seconds: 2 });
      fileIds.push(
        (await sendFile(front, bucket, 'video', { resolution: SIZE }, film, 'a.mp4')).id,
      );
      expect([service, await composition.stopService(service)]).toEqual([service, 0]);
      await composition.start(service);
      if (WEBS.includes(service)) await Promise.race([looking, isRequested(service)]);
    }
    isOver = true;
    await looking;
    expect([...countsByProcess.keys()]).toEqual(['200, whole']);
  });

  test('nothing that was sent is lost: what a killed process was at is taken over', async () => {
    expect(fileIds.length).toBeGreaterThan(10);
    for (const id of fileIds)
      expect((await user.usageOnceSettled(bucket, id)).status).toBe('success');
    const fsck = await composition.container('web-1').run('wharf', 'fsck', '--json');
    expect(fsck).toMatchObject({ status: 0, stdout: '' });
  });
});
