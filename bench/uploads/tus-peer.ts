import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

/** Runs plain `@tus/server` with its own file store in Bun. It stores uploads in a folder and syncs nothing. */
const [folder = '', port = ''] = process.argv.slice(2);
const tus = new Server({ path: '/files', datastore: new FileStore({ directory: folder }) });
Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  idleTimeout: 120,
  fetch: (request) => tus.handleWeb(request),
});
