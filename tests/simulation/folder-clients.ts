import type { FolderJobWire } from '../../server/contract/wire.ts';
import type { KnownBucket } from './clients.ts';
import { FOLDERS, type KnownObject } from './known-objects.ts';
import type { Oracle } from './oracle.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

type Options = {
  world: World;
  oracle: Oracle;
  /** Returns a process to send a request to. */
  process: () => SimulatedProcess;
};
type Action = 'move' | 'copy' | 'delete';
type Job = { action: Action; source: string; target: string };

const ACTIONS: Action[] = ['move', 'copy', 'delete'];
const RETRIED = [400, 409, 429, 500, 503];

/** Clients that move, copy and delete whole folders, and wait for the end of that. */
export class FolderClients {
  constructor(private readonly options: Options) {}

  /** Starts one; null where no folder of the bucket has objects that nobody changes. */
  plan(bucket: KnownBucket): (() => Promise<void>) | null {
    const { world, oracle } = this.options;
    const inFolder = (folder: string) => oracle.objects.in(bucket.id, folder);
    const free = FOLDERS.filter((folder) => inFolder(folder).every(({ isBusy }) => !isBusy));
    const source = world.pick(
      free.filter((folder) => inFolder(folder).some(({ content }) => content !== null)),
    );
    const target = world.pick(free.filter((folder) => folder !== source));
    const action = world.pick(ACTIONS);
    // A bucket has one job at a time, so that the answer to an attempt tells about the ones before.
    if (!source || !target || !action || oracle.hasFolderJob.has(bucket.id)) return null;
    return () => this.change(bucket, { action, source, target });
  }

  private async change(bucket: KnownBucket, job: Job): Promise<void> {
    const { oracle } = this.options;
    const [from, to] = [job.source, job.target].map((one) => oracle.objects.in(bucket.id, one)) as [
      KnownObject[],
      KnownObject[],
    ];
    const touched = job.action === 'delete' ? from : [...from, ...to];
    for (const object of touched) object.isBusy = true;
    oracle.hasFolderJob.add(bucket.id);
    await this.run(bucket, job);
    oracle.hasFolderJob.delete(bucket.id);
    if (bucket.isDeleting) return;
    for (const [n, object] of from.entries()) applyTo(job.action, object, to[n] as KnownObject);
    for (const object of touched) object.isBusy = false;
  }

  /** Starts a job until one has begun, or nothing is left in the folder, and waits for its end. */
  private async run(bucket: KnownBucket, { action, source, target }: Job): Promise<void> {
    const body = JSON.stringify({ action, path: source, ...(action !== 'delete' && { target }) });
    const path = `files/folder-jobs/${bucket.id}`;
    const started = await this.untilAnswered(bucket, path, { method: 'POST', body }, [202, 404]);
    if (started?.status !== 202) return;
    const { id } = (await started.json()) as FolderJobWire;
    for (;;) {
      const answer = await this.untilAnswered(bucket, `${path}/${id}`, {}, [200]);
      if (answer?.status !== 200) return;
      const { status } = (await answer.json()) as FolderJobWire;
      if (status === 'completed') return;
      if (status === 'stopped') this.options.oracle.fail(`the job ${id} has stopped by itself`);
      if (status !== 'running') return;
    }
  }

  private async untilAnswered(
    bucket: KnownBucket,
    path: string,
    init: RequestInit,
    expected: number[],
  ): Promise<Response | null> {
    const headers = { 'x-api-key': bucket.key, 'content-type': 'application/json' };
    const { oracle, process } = this.options;
    while (!bucket.isDeleting) {
      const request = new Request(`http://localhost/${path}`, { ...init, headers });
      const response = await process().request(request);
      if (response === null || RETRIED.includes(response.status)) continue;
      if (!expected.includes(response.status) && !bucket.isDeleting)
        oracle.fail(`${path} is answered ${response.status}: ${await response.text()}`);
      return response;
    }
    return null;
  }
}

/** What is at a taken path stays, and so does what would have gone there. */
function applyTo(action: Action, source: KnownObject, target: KnownObject): void {
  if (action === 'delete') source.content = null;
  else if (source.content !== null && target.content === null) {
    target.content = source.content;
    if (action === 'move') source.content = null;
  }
}
