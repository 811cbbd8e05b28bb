import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { Upload } from 'tus-js-client';
import { seeded } from '../../../media/testing/mutations.ts';
import { MIB } from '../../../server/contract/limits.ts';
import { createBucket, listFiles, signUp, waitForFile } from '../../support/client/api.ts';
import { clipOfSize } from '../../support/fixtures/make-media.ts';
import { isTorture } from '../../support/fixtures/torture.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { startServer } from '../../support/server/server.ts';
import { storedObjects } from '../../support/server/stored-objects.ts';
import { startCuttingProxy } from '../../support/services/cutting-proxy.ts';

const SIZE_MIB = isTorture ? 200 : 20;
const SIZE = SIZE_MIB * MIB;
const CUTS = 10;

test(`tus-js-client sends ${SIZE_MIB} MiB over a connection that is cut ten times: the same bytes arrive`, async () => {
  const random = seeded(20_261_121);
  const bytes = await clipOfSize(SIZE);
  // Each mebibyte is different, so that one which is lost, repeated or misplaced changes the hash.
  for (let at = MIB; at < SIZE; at += MIB) bytes.writeDoubleBE(random(), at);
  // On average a twentieth of the size arrives between two cuts.
  const after = Array.from({ length: CUTS }, () => Math.floor((1 + random() * 17) * (SIZE / 200)));

  let port = 0;
  const proxy = await startCuttingProxy(() => port, after);
  const server = await startServer({ APP_URL: `http://127.0.0.1:${proxy.port}` });
  port = server.config.port;
  try {
    const bucket = await createBucket(server, (await signUp(server)).token);
    await new Promise<void>((resolve, reject) => {
      new Upload(bytes, {
        endpoint: `${server.config.appUrl}/files/tus/${bucket.id}`,
        headers: { 'x-api-key': bucket.api_key },
        metadata: { filename: 'cut.mp4', resolution: '160x90' },
        // On PostgreSQL a connection may be cut before the server has read anything, so that each cut takes a retry.
        retryDelays: Array.from({ length: 2 * CUTS }, () => 200),
        onSuccess: () => resolve(),
        onError: reject,
      }).start();
    });
    expect(proxy.cuts()).toBe(CUTS);
    const { data } = await listFiles(server, bucket);
    expect(data).toHaveLength(1);
    const file = await waitForFile(server, bucket, data[0]?.id ?? '');
    expect(file).toMatchObject({
      status: 'success',
      size: SIZE,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(await storedObjects(server, 'u/')).toEqual([]);
    expect(await findingsOf(server.config)).toEqual([]);
  } finally {
    await proxy.stop();
    await server.stop();
  }
});
