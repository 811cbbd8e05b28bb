import { createIPX, createIPXWebServer, ipxFSStorage } from 'ipx';
import sharp from 'sharp';

/** Runs ipx in Bun with images in a folder and our own settings of sharp. */
const [folder = '', port = ''] = process.argv.slice(2);
sharp.concurrency(1);
sharp.cache(false);
const handler = createIPXWebServer(createIPX({ storage: ipxFSStorage({ dir: folder }) }));
Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 120,
  fetch: (request) => handler(request),
});
