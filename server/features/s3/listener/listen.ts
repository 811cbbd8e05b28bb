import type { S3Api } from '../service.ts';

/** A server that listens for the S3 API. */
export type S3Listener = {
  /** Accepts no more connections, waits for so many milliseconds for open requests to end, and cuts off the others. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Listens on the S3 API's own port, and loads the server of Node for it, which takes 3 MiB. Rejects where that is not
 * possible.
 */
export async function listenS3(
  api: Pick<S3Api, 'handle'>,
  { port, host }: { port: number; host: string },
): Promise<S3Listener> {
  const { createS3Server } = await import('./node-server.ts');
  const server = createS3Server(api);
  const stop = async (timeoutMs: number) => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
    await closed;
    clearTimeout(timer);
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve({ stop });
    });
  });
}
