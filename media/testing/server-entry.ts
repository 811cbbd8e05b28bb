import { MediaClient } from '../worker/client.ts';

/** This server is in the middle of a video: it prints the id of its media process and waits to be killed. */
const client = new MediaClient({ command: process.argv.slice(2) });
const job = {
  kind: 'video' as const,
  sources: ['up/long'],
  prefix: 'killed/',
  resolutions: [],
  owner: 'account',
  // A busy machine would move it from the foreground to the background.
  isBackground: true,
};
const run = client.run(job, { signal: new AbortController().signal, onProgress: () => {} });
process.stdout.write(`${client.pid}\n`);
await run;
