import { audit } from '../../server/cli/fsck/audit.ts';
import { fileById } from '../../server/features/files/store.ts';
import type { Database } from '../../server/platform/db/port.ts';
import { EarlyPublications } from './early-publications.ts';
import { KnownObjects } from './known-objects.ts';
import { SentBytes } from './sent-bytes.ts';
import type { SimulatedStore } from './simulated-store.ts';
import type { World } from './world.ts';

export type KnownFile = {
  id: string;
  bucketId: string;
  content: string;
  isBroken: boolean;
  /** 'deleting' once a deletion was requested, 'deleted' once it was acknowledged. */
  state: 'live' | 'deleting' | 'deleted';
};

/** A promise of the product that was broken. */
export class ViolationError extends Error {
  override name = 'ViolationError';
}

/** Knows what was acknowledged to clients, and compares it with what the product has. */
export class Oracle {
  readonly files = new Map<string, KnownFile>();
  readonly objects: KnownObjects = new KnownObjects();
  /** The buckets in which a client moves, copies or deletes a folder. */
  readonly hasFolderJob = new Set<string>();
  readonly sentBytes: SentBytes;
  readonly publications: EarlyPublications;
  /** The first broken promise. */
  violation: ViolationError | null = null;

  constructor(
    private readonly world: World,
    private readonly database: Database,
    private readonly store: SimulatedStore,
  ) {
    const fail = (text: string) => this.fail(text);
    this.sentBytes = new SentBytes(database, fail);
    this.publications = new EarlyPublications(database, fail);
  }

  fail(text: string): void {
    this.violation ??= new ViolationError(text);
  }

  acknowledge(file: Pick<KnownFile, 'id' | 'bucketId' | 'content' | 'isBroken'>): void {
    const known = this.files.get(file.id);
    if (known && known.content !== file.content) this.fail(`two uploads got the file ${file.id}`);
    if (!known) this.files.set(file.id, { ...file, state: 'live' });
  }

  /** Checks everything once nothing happens any more. */
  async checkAll(): Promise<void> {
    await this.checkJobs();
    await this.checkFiles();
    await this.checkObjects();
    await this.sentBytes.check((id) => this.files.get(id)?.state === 'live');
    await this.checkCharges();
    const { database, store, world } = this;
    const leftovers = async function* () {};
    const sources = { database, objects: store.direct, leftovers };
    for await (const { kind, subject, text } of audit(sources, () => world.now)) {
      if (store.isStuck(subject)) continue;
      this.fail(`fsck: ${kind} ${subject}: ${text}`);
    }
  }

  private async checkJobs(): Promise<void> {
    const rows = await this.database.db
      .selectFrom('jobs')
      .selectAll()
      .where('state', 'in', ['queued', 'running'])
      .execute();
    for (const row of rows) this.fail(`a job does not end: ${JSON.stringify(row)}`);
  }

  /** Each acknowledged file is there with its bytes until it is deleted. */
  private async checkFiles(): Promise<void> {
    for (const file of this.files.values()) {
      const { id, state, content, isBroken } = file;
      const row = await fileById(this.database.db, id);
      if (state === 'deleted' && row) this.fail(`the deleted file ${id} is still there`);
      if (state === 'deleted') this.files.delete(id);
      if (state !== 'live') continue;
      if (!row) {
        this.fail(`the acknowledged file ${id} is gone`);
        continue;
      }
      const expected = isBroken ? 'error' : 'success';
      if (row.status !== expected) this.fail(`the file ${id} is ${row.status}: ${row.error}`);
      if (row.status !== 'success') continue;
      const object = await this.store.direct.open(`${row.prefix}${row.entry}`);
      const text = object && (await (object.body() as Blob).text());
      if (text !== `id=${content};`) this.fail(`the file ${id} has ${text} instead of ${content}`);
    }
  }

  private async checkObjects(): Promise<void> {
    const buckets = await this.database.db
      .selectFrom('buckets')
      .select('id')
      .where('status', '=', 'running')
      .execute();
    for (const { id } of buckets)
      for await (const text of this.objects.check(id, this.database, this.store)) this.fail(text);
  }

  /** What is charged and what is still to be charged add up to what was used. */
  private async checkCharges(): Promise<void> {
    const { db } = this.database;
    const sumOf = async (table: 'usage_days' | 'usage_hours' | 'charge_days') =>
      new Map(
        (
          await db
            .selectFrom(table)
            .select(({ fn }) => ['bucket_id', fn.sum<number>('bandwidth').as('bytes')])
            .groupBy('bucket_id')
            .execute()
        ).map(({ bucket_id, bytes }) => [bucket_id, bytes]),
      );
    const [used, open, charged] = [
      await sumOf('usage_days'),
      await sumOf('usage_hours'),
      await sumOf('charge_days'),
    ];
    for (const { id } of await db.selectFrom('buckets').select('id').execute()) {
      const billed = (open.get(id) ?? 0) + (charged.get(id) ?? 0);
      if (billed === (used.get(id) ?? 0)) continue;
      this.fail(`${used.get(id)} bytes of ${id} were sent, and ${billed} are billed`);
    }
    const { posted } = await db
      .selectFrom('ledger_entries')
      .select(({ fn }) => fn.sum<number>('amount').as('posted'))
      .where('kind', '=', 'charge')
      .executeTakeFirstOrThrow();
    const { parts } = await db
      .selectFrom('charge_days')
      .select(({ eb, fn }) =>
        fn
          .sum<number>(eb(eb('storage', '+', eb.ref('bandwidth')), '+', eb.ref('upload')))
          .as('parts'),
      )
      .executeTakeFirstOrThrow();
    if ((posted ?? 0) !== -(parts ?? 0))
      this.fail(`the ledger has charged ${posted}, its parts add up to ${parts}`);
  }
}
