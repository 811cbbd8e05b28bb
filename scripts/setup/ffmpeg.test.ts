import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canInstallPackages, thisMachine } from './debian.mjs';
import { findFfmpeg } from './ffmpeg.mjs';
import { runNode, temporaryFolder, writeProgram } from './testing/fake-bin.ts';

let root: string;
beforeEach(async () => {
  root = await temporaryFolder();
});
afterEach(() => rm(root, { recursive: true }));

describe('finding ffmpeg', () => {
  test('takes both programs from PATH, from two folders if need be', async () => {
    const ffmpeg = await writeProgram(join(root, 'a/ffmpeg'), '');
    const ffprobe = await writeProgram(join(root, 'b/ffprobe'), '');
    expect(findFfmpeg({ PATH: `${root}/a:${root}/b` })).toEqual({ ffmpeg, ffprobe });
  });

  test('is not content with ffmpeg alone, nor with a file that cannot be run', async () => {
    await writeProgram(join(root, 'ffmpeg'), '');
    expect(findFfmpeg({ PATH: root })).toBeNull();
    await Bun.write(join(root, 'ffprobe'), '');
    expect(findFfmpeg({ PATH: root })).toBeNull();
  });

  test('FFMPEG_PATH may be the folder or the ffmpeg in it, and PATH is not asked', async () => {
    const ffmpeg = await writeProgram(join(root, 'own/ffmpeg'), '');
    const ffprobe = await writeProgram(join(root, 'own/ffprobe'), '');
    await writeProgram(join(root, 'path/ffmpeg'), '');
    await writeProgram(join(root, 'path/ffprobe'), '');
    const PATH = join(root, 'path');
    const tools = { ffmpeg, ffprobe };
    expect(findFfmpeg({ PATH, FFMPEG_PATH: join(root, 'own') })).toEqual(tools);
    expect(findFfmpeg({ PATH, FFMPEG_PATH: ffmpeg })).toEqual(tools);
  });

  test('an FFMPEG_PATH without ffprobe beside it is an error, whatever PATH holds', async () => {
    const ffmpeg = await writeProgram(join(root, 'ffmpeg'), '');
    expect(() => findFfmpeg({ FFMPEG_PATH: ffmpeg })).toThrow(`FFMPEG_PATH is ${ffmpeg}`);
    expect(() => findFfmpeg({ FFMPEG_PATH: join(root, 'nowhere') })).toThrow('FFMPEG_PATH is');
  });
});

describe('a machine without ffmpeg', () => {
  function ensure() {
    const code = `import { runProgram } from '${import.meta.dir}/problem.mjs';
      import { ensureFfmpeg } from '${import.meta.dir}/ffmpeg.mjs';
      await runProgram(ensureFfmpeg);`;
    return runNode(code, { PATH: `${root}/bin`, CALLS: join(root, 'calls') });
  }

  test('that has no apt-get is told in one line what to install', async () => {
    const { output, errors, status } = await ensure();
    expect(output).toBe('');
    expect(errors).toMatch(/^wharf: ffmpeg and ffprobe are missing: install [^\n]+\n$/);
    expect(status).toBe(1);
  });

  const rootOnDebian = canInstallPackages(thisMachine());

  test.skipIf(!rootOnDebian)('that is Debian, as root, says so and installs it', async () => {
    const [note, copy] = ['/bin/echo "$2 $3 $4 $5 $DEBIAN_FRONTEND" >> $CALLS', '/bin/cp $0'];
    const install = `${copy} ${root}/bin/ffmpeg && ${copy} ${root}/bin/ffprobe`;
    await writeProgram(join(root, 'bin/apt-get'), `${note}; [ $2 = update ] || { ${install}; }`);
    const { output, errors, status } = await ensure();
    expect({ errors, status }).toEqual({ errors: '', status: 0 });
    expect(output).toBe("Installing Debian's ffmpeg with apt-get: it converts videos.\n");
    expect(await Bun.file(join(root, 'calls')).text()).toBe(
      'update    noninteractive\ninstall -y --no-install-recommends ffmpeg noninteractive\n',
    );
  });

  test.skipIf(!rootOnDebian)('is told what apt-get said when that fails', async () => {
    await writeProgram(join(root, 'bin/apt-get'), 'echo "E: No network" >&2; exit 100');
    const { errors, status } = await ensure();
    expect(errors).toBe('wharf: apt-get update failed: E: No network\n');
    expect(status).toBe(1);
  });
});
