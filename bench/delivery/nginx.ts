import { join } from 'node:path';
import { freePort } from '../../tests/support/server/free-port.ts';
import { type Peer, startPeer } from '../programs.ts';

/**
 * Returns the settings of nginx as an admin would tune it for files, with one worker and a log like
 * Wharf's.
 */
const settings = (folder: string, port: number) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  types { image/jpeg jpg; }
  sendfile on;
  tcp_nopush on;
  open_file_cache max=10000 inactive=60s;
  open_file_cache_valid 60s;
  keepalive_requests 1000000;
  access_log ${folder}/access.log;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_max_body_size 0;
  client_body_buffer_size 1m;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/www;
    location /upload/ { dav_methods PUT; create_full_put_path on; dav_access user:rw; }
  }
}
`;

/**
 * Starts nginx on one core, or on any. It serves `folder`/www and accepts uploads below /upload/. Throws
 * when it does not start.
 */
export async function startNginx(
  programs: { nginx: string; taskset: string },
  folder: string,
  core: number | null,
): Promise<Peer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, 'nginx.conf');
  await Bun.write(file, settings(folder, port));
  const command = [programs.nginx, '-p', folder, '-e', join(folder, 'error.log'), '-c', file];
  const pinned = core === null ? [] : [programs.taskset, '-c', String(core)];
  return startPeer(url, [...pinned, ...command]);
}
