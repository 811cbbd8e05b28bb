import { fileURLToPath } from 'node:url';
import { buildAssets, installDependencies } from './setup/bun.mjs';
import { ensureFfmpeg } from './setup/ffmpeg.mjs';
import { runProgram } from './setup/problem.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await runProgram(() => {
  installDependencies(root);
  ensureFfmpeg();
  buildAssets(root);
});
