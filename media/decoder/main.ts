import { runDecoder } from './decoder.ts';

// A decoder that runs from the sources. The built program has one entry for all of its processes.
await runDecoder(JSON.parse(process.argv[2] ?? ''));
