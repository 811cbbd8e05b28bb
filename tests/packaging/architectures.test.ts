import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Embedded } from '../../media/image/libraries.ts';
import { type Arch, elfImages } from '../../scripts/binary/libraries.ts';
import { createBucket, signUp } from '../support/client/api.ts';
import { deliverPhoto, deliverPrivateVideo } from '../support/fixtures/main-job.ts';
import { builtProgram, ROOT } from '../support/server/program.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { isEmulated } from '../support/services/emulator.ts';

const HERE = process.arch as Arch;
const ELSEWHERE: Arch = HERE === 'x64' ? 'arm64' : 'x64';
const foreign = await buildForeign(ELSEWHERE);

/**
 * Builds the program for another architecture by the usual command. Returns null where its packages were
 * never downloaded and can't be now. Throws with the build's messages when it fails otherwise.
 */
async function buildForeign(arch: Arch): Promise<string | null> {
  const child = Bun.spawn([process.execPath, 'scripts/binary.ts', '--arch', arch], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const stderr = await new Response(child.stderr).text();
  if ((await child.exited) === 0) return join(ROOT, 'dist', `wharf-linux-${arch}`);
  if (/^error: \w+ downloading /m.test(stderr)) return null;
  throw new Error(stderr);
}

/** Returns the list of libraries that the program reads at its start, as it is in the file. */
function embeddedIn(file: Buffer): Embedded {
  const from = file.indexOf('{\n "version": "sharp-');
  return JSON.parse(file.subarray(from, file.indexOf('\n}', from) + 2).toString());
}

async function expectAllOf(arch: Arch, path: string) {
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
  const images = elfImages(bytes);
  expect(images.map(({ machine }) => machine)).toEqual([arch, arch, arch]);
  const [program, ...libraries] = images;
  expect(program?.bytes.length).toBe(bytes.length);

  const { files, addon } = embeddedIn(bytes);
  const [libvips = '', sharp = ''] = files.map((file) => file.path).sort();
  expect(libvips).toMatch(
    new RegExp(`^sharp-libvips-linux-${arch}/lib/libvips-cpp\\.so\\.[\\d.]+$`),
  );
  expect([files.length, sharp]).toEqual([2, addon]);
  expect(addon).toMatch(new RegExp(`^sharp-linux-${arch}/lib/sharp-linux-${arch}-[\\d.]+\\.node$`));
  const hashes = libraries.map((one) => Bun.SHA256.hash(one.bytes, 'hex'));
  expect(files.map((file) => file.sha256).sort()).toEqual(hashes.sort());
}

test.skipIf(!builtProgram)(
  `the built file is a program for ${HERE}, and holds libraries for ${HERE} only`,
  () => expectAllOf(HERE, builtProgram ?? ''),
);

test.skipIf(!foreign)(
  `with the package registry within reach, the file for ${ELSEWHERE} is and holds nothing else`,
  () => expectAllOf(ELSEWHERE, foreign ?? ''),
);

describe.skipIf(!foreign || !isEmulated(ELSEWHERE))(
  `where binfmt runs programs for ${ELSEWHERE}, the file for ${ELSEWHERE}`,
  () => {
    let server: ServerProcess;
    beforeAll(async () => {
      server = await startServerProcess({
        program: [foreign ?? ''],
      });
    });
    afterAll(() => server?.stop());

    test('does the main job: account, bucket, WebP, HLS', async () => {
      const bucket = await createBucket(server, (await signUp(server)).token);
      await deliverPhoto(server, bucket);
      await deliverPrivateVideo(server, bucket);
    });
  },
);
