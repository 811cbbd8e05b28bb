import { MediaClient } from '../worker/client.ts';

/** A server in the middle of a video: prints its media process' id and waits to be killed. */
const client = new MediaClient({ command: process.argv.slice(2) });
const job = { kind: 'video' as const, sources: ['up/long'], prefix: 'killed/', resolutions: [] };
const run = client.run(job, { signal: new AbortController().signal, onProgress: () => {} });
process.stdout.write(`${client.pid}\n`);
await run;
