import { permanentFailure, toMediaFailure } from '../../media/media-failure.ts';
import type { StartWorker } from '../../media/worker/worker-process.ts';
import {
  MASTER_PLAYLIST,
  type MediaJob,
  type MediaObject,
  type MediaReply,
  type MediaRequest,
  type MediaResult,
  PARTIAL_PLAYLIST,
} from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { contentOf, isBroken } from './content.ts';
import { Life } from './life.ts';
import type { SimulatedStore } from './simulated-store.ts';
import type { World } from './world.ts';

/** How many calls of the world one part of an encode takes at most. */
const MAX_PART = 12;
const SIDE = 100;

type Running = {
  objects: ObjectStore;
  signal: AbortSignal;
  tell: (reply: Told) => void;
  work: Work;
};
type Told = MediaReply extends infer Reply
  ? Reply extends { id: string }
    ? Omit<Reply, 'id'>
    : never
  : never;
type Work = () => Promise<void>;

/** The jobs of each media process. */
const jobsOf = new WeakMap<Life, Jobs>();

/** Whether a media process is working on an upload. */
export const isWorkingOn = (media: Life, source: string): boolean =>
  jobsOf.get(media)?.sources.includes(source) ?? false;

/** Returns the uploads that a media process is working on. */
export const sourcesOf = (media: Life): string[] => jobsOf.get(media)?.sources ?? [];

/**
 * Starts media processes that live in the world: they read and write objects and send messages as the real
 * one does, but what they store is only the name of the content that they have read.
 */
export function startSimulatedMedia(
  world: World,
  store: SimulatedStore,
  server: Life,
): StartWorker {
  let count = 0;
  return (_command, { onMessage, onExit }) => {
    count += 1;
    const life = new Life(`${server.name}/media${count}`);
    server.children.add(life);
    const end: (signal: string) => void = onExit;
    const exited = Promise.withResolvers<number>();
    // What a process has sent arrives in order, and also after its death.
    let sent = Promise.resolve();
    const deliver = (name: string, then: () => void) => {
      sent = sent
        .then(() => world.call(server, name, then))
        .catch((error) => {
          world.note(`${name} throws: ${error}`);
        });
    };
    life.onDeath(() => {
      server.children.delete(life);
      deliver('end of media', () => end(life.signal));
      exited.resolve(0);
    });
    const reply = (message: MediaReply) =>
      deliver(`message ${message.type}`, () => onMessage(message as never));
    const jobs = new Jobs(world, store.of(life), life, reply);
    jobsOf.set(life, jobs);
    void world.call(life, 'starts', () => reply({ type: 'ready' }));
    return {
      pid: count,
      exited: exited.promise,
      send: (request: MediaRequest) =>
        void world.call(life, `request ${request.type}`, () => jobs.receive(request)),
      disconnect: () => life.die(),
      kill: () => life.die(),
    };
  };
}

class Jobs {
  private readonly running = new Map<string, { job: MediaJob; aborter: AbortController }>();

  constructor(
    private readonly world: World,
    private readonly objects: ObjectStore,
    private readonly life: Life,
    private readonly reply: (message: MediaReply) => void,
  ) {}

  get sources(): string[] {
    return [...this.running.values()].flatMap(({ job }) => sourceOf(job));
  }

  receive(request: MediaRequest): void {
    if (request.type === 'cancel')
      this.running.get(request.id)?.aborter.abort(new Error('cancelled'));
    else void this.run(request.id, request.job);
  }

  private async run(id: string, job: MediaJob): Promise<void> {
    const { world, life, objects } = this;
    const aborter = new AbortController();
    this.running.set(id, { job, aborter });
    const { signal } = aborter;
    const tell = (told: Told) => this.reply({ ...told, id } as MediaReply);
    const work = async () => {
      for (let left = world.below(MAX_PART); left >= 0; left -= 1) {
        await world.call(life, `works on ${job.kind}`, () => {});
        signal.throwIfAborted();
      }
    };
    try {
      const result = await perform(job, { objects, signal, tell, work });
      tell({ type: 'done', result });
    } catch (error) {
      const { message: reason, retry } = toMediaFailure(error);
      tell({ type: 'failed', reason, retry });
    } finally {
      this.running.delete(id);
    }
  }
}

function sourceOf(job: MediaJob): string[] {
  if (job.kind === 'video') return job.sources;
  return job.kind === 'image' ? [job.source] : [];
}

function perform(job: MediaJob, running: Running): Promise<MediaResult> {
  if (job.kind === 'video') return encodeVideo(job, running);
  if (job.kind === 'image' || job.kind === 'transform') return makeImage(job, running);
  throw new Error('nothing probes');
}

async function makeImage(
  job: Extract<MediaJob, { kind: 'image' | 'transform' }>,
  { objects, tell, work }: Running,
): Promise<MediaResult> {
  const content = await read(objects, [job.source]);
  if (job.kind === 'image') tell({ type: 'hashed', sha256: content });
  await work();
  if (isBroken(content)) throw permanentFailure('The image is damaged.');
  const entry = `${job.baseName}.webp`;
  const stored = [await put(objects, job.prefix, entry, content)];
  return { objects: stored, entry, width: SIDE, height: SIDE, duration: null };
}

async function encodeVideo(
  job: Extract<MediaJob, { kind: 'video' }>,
  { objects, tell, work }: Running,
): Promise<MediaResult> {
  const content = await read(objects, job.sources);
  tell({ type: 'hashed', sha256: content });
  await work();
  tell({ type: 'progress', percent: 30 });
  if (isBroken(content)) throw permanentFailure('The video is damaged.');
  const about = { width: SIDE, height: SIDE, duration: 1000 };
  const early = [
    await put(objects, job.prefix, 'poster.webp', content),
    await put(objects, job.prefix, PARTIAL_PLAYLIST, content),
  ];
  tell({ type: 'playable', result: { ...about, objects: early, entry: PARTIAL_PLAYLIST } });
  await work();
  tell({ type: 'progress', percent: 70 });
  await work();
  const last = await put(objects, job.prefix, MASTER_PLAYLIST, content);
  return { ...about, objects: [...early, last], entry: MASTER_PLAYLIST };
}

/** Returns the content of an upload, whose parts must be complete and in order. */
async function read(objects: ObjectStore, keys: string[]): Promise<string> {
  const parts: string[] = [];
  for (const key of keys) {
    const object = await objects.open(key);
    if (!object) throw permanentFailure('The uploaded file no longer exists.');
    parts.push(await contentOf(object.body() as Blob));
  }
  return parts.join('+');
}

async function put(
  objects: ObjectStore,
  prefix: string,
  name: string,
  content: string,
): Promise<MediaObject> {
  const { size } = await objects.put(prefix + name, new Blob([`id=${content};`]).stream());
  return { name, size };
}
