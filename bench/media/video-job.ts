import { join } from 'node:path';
import { DecoderPool } from '../../media/decoder/decoder-pool.ts';
import { decoderProgram } from '../../media/decoder/program.ts';
import { folderStore } from '../../media/testing/folder-store.ts';
import { runJob } from '../../media/worker/pipeline.ts';
import { parseSize } from '../../server/contract/resolutions.ts';

/** Encodes all sizes of a clip, and prints when it could be played and when it was finished. */
const [folder = '', ladder = ''] = process.argv.slice(2);
const started = performance.now();
const seconds = () => (performance.now() - started) / 1000;
const workDir = join(folder, 'work');
const decoders = new DecoderPool({ ...decoderProgram(''), workDir });
let playable = 0;
await runJob(
  {
    kind: 'video',
    sources: ['up/clip'],
    prefix: 'made/',
    owner: 'account',
    resolutions: ladder.split(',').flatMap((text) => parseSize(text) ?? []),
  },
  {
    objects: folderStore(join(folder, 'objects')),
    workDir,
    signal: new AbortController().signal,
    onProgress: () => {},
    onHash: () => {},
    inTurn: (_kind, _owner, decode) => decode(new AbortController().signal),
    onPlayable: () => {
      playable = seconds();
    },
    tools: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' },
    decode: decoders.decodeFor('account'),
  },
);
await decoders.stop();
process.stdout.write(JSON.stringify({ playable, full: seconds() }));
