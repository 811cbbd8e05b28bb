import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { hasCeph } from '../../../scripts/setup/test-programs.mjs';
import type { S3Settings } from '../../../server/platform/storage/s3/client.ts';
import { freePort } from '../server/free-port.ts';
import { DATABASE_FOLDER, sweepTemporary } from '../server/sweep.ts';

const PREFIX = 'wharf-rgw-';
/** Far more than it needs, so that a busy machine makes no difference. */
const START_TIMEOUT = 600_000;
/** The access keys of the user who owns the buckets. */
export const KEYS = {
  accessKeyId: 'WHARFTESTS',
  secretAccessKey: 'a secret of the tests, and of nobody else',
};

/** Ends the program with the test process, even if that is killed: `read` ends with the pipe. */
const KEEPER = `
trap '' INT TERM HUP
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(read -r _ <&3; kill -KILL $program) &
wait $program
kill $!
if [ -n "$REMOVE" ]; then sleep 1; rm -rf "$REMOVE"; fi`;

/**
 * Does what `ceph osd new` does. `ceph` may send its command before it has received the monitor's map, and thus
 * without the id of the cluster: "Error EPERM: problem getting command descriptions from mon". The map of the
 * OSDs comes after that of the monitor.
 */
const NEW_OSD = `
import json, rados, sys
cluster = rados.Rados(conffile=sys.argv[1])
cluster.connect()
cluster.wait_for_latest_osdmap()
command = json.dumps({'prefix': 'osd new', 'uuid': sys.argv[2]})
status, _, message = cluster.mon_command(command, b'')
sys.exit(message if status else 0)`;

export type Rgw = {
  url: string;
  /** Creates a bucket. Returns its STORAGE_URL and the settings of the store. */
  bucket(name?: string): Promise<{ url: string; settings: S3Settings }>;
};

/** A user of the S3 server with an access key. */
export type RgwUser = {
  id: string;
  displayName: string;
  email: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type OwnRgw = Rgw &
  Gateway & {
    /** Creates a user beside the one of `KEYS`. */
    createUser(id: string): Promise<RgwUser>;
    /** Returns another S3 server for the same objects, at another address. It is not running yet. */
    gateway(address: string): Gateway;
  };

export type Gateway = {
  /** Kills the S3 server, but not the storage behind it. */
  kill(): Promise<void>;
  /** Starts it again. Resolves when it responds. */
  start(): Promise<void>;
};

let started: Promise<Rgw | null> | undefined;

/**
 * Returns the S3 server that `npm test` shares among test files, or starts one for this process: Ceph's
 * RADOS Gateway with objects in memory. Returns null if Ceph is not installed. Throws if it does not start.
 */
export function startRgw(): Promise<Rgw | null> {
  const url = process.env.WHARF_TEST_RGW;
  started ??= url ? Promise.resolve(reachRgw(url)) : startOwnRgw({ isKilled: false });
  return started;
}

/** Whether Ceph is installed. */
export const hasRgw: boolean = hasCeph();

/**
 * Starts a separate S3 server. It ends with the process, even if killed.
 * @param options.isKilled whether tests kill it. One that is not caches what it knows of users and buckets, and takes
 *   half of the processor time.
 */
export async function startOwnRgw({ isKilled = true } = {}): Promise<OwnRgw | null> {
  if (!hasRgw) return null;
  await sweepTemporary(PREFIX, DATABASE_FOLDER);
  const folder = await mkdtemp(join(DATABASE_FOLDER, `${PREFIX}${process.pid}-`));
  for (const name of ['mon', 'osd', 'rgw', 'run']) await mkdir(join(folder, name));
  const [port, monitorPort] = [await freePort(), await freePort()];
  const [cluster, osd] = [crypto.randomUUID(), crypto.randomUUID()];
  const settings = join(folder, 'ceph.conf');
  await Bun.write(settings, settingsOf({ folder, cluster, monitorPort, isKilled }));
  const url = `http://127.0.0.1:${port}`;

  const run = async (...command: string[]) => {
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    const [output, trouble] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`${command[0]} failed:\n${trouble || output}`);
  };
  const keep = (...command: string[]) => {
    const [name] = command;
    const log = Bun.file(join(folder, `${name}.log`));
    const keeper = Bun.spawn(['sh', '-c', KEEPER, 'sh', ...command], {
      env: { PATH: process.env.PATH, ...(name === 'ceph-mon' && { REMOVE: folder }) },
      stdin: 'pipe',
      stdout: log,
      stderr: log,
    });
    keeper.unref();
    return keeper;
  };
  const configured = ['-c', settings];

  const map = join(folder, 'monmap');
  const address = `[v1:127.0.0.1:${monitorPort}]`;
  await run('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', address, map);
  await run('ceph-mon', ...configured, '-i', 'a', '--mkfs', '--monmap', map);
  keep('ceph-mon', ...configured, '-i', 'a', '-f');
  await run('/usr/bin/python3', '-c', NEW_OSD, settings, osd);
  await run('ceph-osd', ...configured, '-i', '0', '--mkfs', '--osd-uuid', osd);
  /** Sometimes a program contacts the monitor too early and exits. This starts it again until all is up. */
  const keepUntil = async (isUp: () => Promise<boolean>, ...command: string[]) => {
    const deadline = Date.now() + START_TIMEOUT;
    let kept = keep(...command);
    while (!(await isUp())) {
      if (Date.now() > deadline) throw new Error('The RADOS Gateway did not start.');
      await Bun.sleep(50);
      if (kept.exitCode !== null) kept = keep(...command);
    }
    return kept;
  };

  const gatewayAt = (at: string): Gateway => {
    const frontend = `--rgw-frontends=beast endpoint=${at}`;
    let gateway: ReturnType<typeof keep> | undefined;
    return {
      async start() {
        const command = ['radosgw', ...configured, '-n', 'client.rgw', '-f', frontend];
        gateway = await keepUntil(() => isReachable(`http://${at}`), ...command);
      },
      async kill() {
        gateway?.stdin.end();
        await gateway?.exited;
      },
    };
  };
  const gateway = gatewayAt(`127.0.0.1:${port}`);
  const createUser = (user: RgwUser) =>
    run(
      ...['radosgw-admin', ...configured, '-n', 'client.rgw', 'user', 'create'],
      ...[`--uid=${user.id}`, `--display-name=${user.displayName}`, `--email=${user.email}`],
      ...[`--access-key=${user.accessKeyId}`, `--secret-key=${user.secretAccessKey}`],
    );
  let isUp = false;
  await Promise.all([
    keepUntil(async () => isUp, 'ceph-osd', ...configured, '-i', '0', '-f'),
    gateway.start().then(() => {
      isUp = true;
    }),
    createUser(userNamed('wharf', KEYS)),
  ]);

  return {
    ...reachRgw(url),
    ...gateway,
    gateway: gatewayAt,
    async createUser(id) {
      const user = userNamed(id, {
        accessKeyId: id.toUpperCase(),
        secretAccessKey: crypto.randomUUID(),
      });
      await createUser(user);
      return user;
    },
  };
}

const userNamed = (id: string, keys: typeof KEYS): RgwUser => ({
  ...{ id, displayName: id, email: `${id}@example.com` },
  ...keys,
});

function reachRgw(url: string): Rgw {
  const client = new S3Client({
    endpoint: url,
    region: 'default',
    credentials: KEYS,
    forcePathStyle: true,
  });
  return {
    url,
    async bucket(name = `t${crypto.randomUUID()}`) {
      await client.send(new CreateBucketCommand({ Bucket: name }));
      const who = `${KEYS.accessKeyId}:${encodeURIComponent(KEYS.secretAccessKey)}`;
      return {
        url: `s3://${who}@${name}?endpoint=${encodeURIComponent(url)}&region=default`,
        settings: {
          bucket: name,
          root: '',
          endpoint: url,
          region: 'default',
          ...KEYS,
          sessionToken: null,
        },
      };
    },
  };
}

type RgwSettings = { folder: string; cluster: string; monitorPort: number; isKilled: boolean };
const settingsOf = (of: RgwSettings) => `
[global]
fsid=${of.cluster}
mon host=v1:127.0.0.1:${of.monitorPort}
mon initial members=a
auth cluster required=none
auth service required=none
auth client required=none
osd pool default size=1
osd pool default min size=1
osd pool default pg num=1
osd pool default pgp num=1
osd pool default pg autoscale mode=off
osd crush chooseleaf type=0
mon allow pool size one=true
mon data avail crit=1
# Each pool would wait a second for its turn.
paxos propose interval=0.02
paxos min wait=0.01
public addr=127.0.0.1
ms bind ipv6=false
run dir=${of.folder}/run
admin socket=${of.folder}/run/$name.$pid.asok
log file=${of.folder}/$name.log
mon data=${of.folder}/mon
osd data=${of.folder}/osd
osd objectstore=memstore
memstore device bytes=8G
[client.rgw]
# With a cache, changes wait half a minute for the word of a gateway that was killed.
rgw cache enabled=${!of.isKilled}
rgw data=${of.folder}/rgw
`;

const isReachable = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
