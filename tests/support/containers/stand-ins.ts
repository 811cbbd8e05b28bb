import { findPostgresql } from '../../../scripts/setup/test-programs.mjs';
import type { Service } from '../services/compose.ts';
import { nginxPath } from '../services/nginx.ts';
import { DYING_WITH_PARENT } from './container.ts';
import { PATH } from './network.ts';

/** Does what the image's entrypoint does: creates the cluster, role and database at the first start. */
const POSTGRES = `
set -e
data=/var/lib/postgresql/data
run() { setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"; }
install --directory --owner=postgres --mode=0775 /run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
  chown postgres "$data"
  printf %s "$POSTGRES_PASSWORD" >/run/password
  chown postgres /run/password
  run initdb -D "$data" --username="$POSTGRES_USER" --pwfile=/run/password --auth-local=trust \\
    --auth-host=scram-sha-256 --encoding=UTF8 --no-sync
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  echo "create database \\"$POSTGRES_DB\\"" | run postgres --single -D "$data" postgres
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups -- ${DYING_WITH_PARENT.join(' ')} \\
  postgres -D "$data" -c 'listen_addresses=*' -c fsync=off`;

export type StandIn = { command: string[]; environment: Record<string, string> };

/**
 * Returns what runs in place of a third-party image: the same program from this machine's packages,
 * started as the image's entrypoint does. Throws for an unknown image.
 */
export async function standIn({ image }: Service): Promise<StandIn> {
  const [name] = image.split(':');
  if (name === 'nginx') return { command: ['nginx', '-g', 'daemon off;'], environment: {} };
  if (name !== 'postgres') throw new Error(`Nothing stands in for the image ${image}.`);
  const environment = { PATH: `${findPostgresql()}:${PATH}`, LC_ALL: 'C.UTF-8' };
  return { command: ['sh', '-c', POSTGRES], environment };
}

/** Returns which of these programs are missing on this machine. */
export async function lackOfStandIns(): Promise<string[]> {
  return [!nginxPath && 'nginx', !findPostgresql() && 'PostgreSQL'].filter(
    (one) => !!one,
  ) as string[];
}
