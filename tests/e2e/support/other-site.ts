import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts another site with a page that contains `body`. The caller must call `close`. */
export async function startOtherSite(body: () => string) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.statusCode = request.url === '/' ? 200 : 204;
    response.end(request.url === '/' ? `<!doctype html><title>Elsewhere</title>${body()}` : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://localhost:${port}/`, close: () => server.close() };
}
