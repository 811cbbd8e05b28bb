import { audit } from '../../server/cli/fsck/audit.ts';
import type { Database } from '../../server/platform/db/port.ts';
import type { SimulatedStore } from './simulated-store.ts';
import type { Life, World } from './world.ts';

export type KnownFile = {
  id: string;
  bucketId: string;
  content: string;
  isBroken: boolean;
  /** 'deleting' once a deletion was requested, 'deleted' once it was acknowledged. */
  state: 'live' | 'deleting' | 'deleted';
};

/** A promise of the product that was broken. */
export class Violation extends Error {
  override name = 'Violation';
}

type Publication = { token: string; prefix: string | null; playable: number };

/** Knows what was acknowledged to clients, and compares it with what the product has. */
export class Oracle {
  readonly files = new Map<string, KnownFile>();
  /** The bytes that were sent, by file, and how many of them a death may have lost. */
  private readonly sent = new Map<string, number>();
  private readonly uncertain = new Map<string, number>();
  private readonly holders = new Map<string, Life | null>();
  private publications = new Map<string, Publication>();
  /** The first broken promise. */
  violation: Violation | null = null;

  constructor(
    private readonly world: World,
    private readonly database: Database,
    private readonly store: SimulatedStore,
  ) {}

  fail(text: string): void {
    this.violation ??= new Violation(text);
  }

  acknowledge(file: Pick<KnownFile, 'id' | 'bucketId' | 'content' | 'isBroken'>): void {
    const known = this.files.get(file.id);
    if (known && known.content !== file.content) this.fail(`two uploads got the file ${file.id}`);
    if (!known) this.files.set(file.id, { ...file, state: 'live' });
  }

  /** Notes bytes that a process has counted and not yet written. */
  count(file: string, bytes: number): void {
    this.sent.set(file, (this.sent.get(file) ?? 0) + bytes);
  }

  /** Notes that a process died with counts that it may not have written. */
  mayLose(counts: Map<string, number>): void {
    for (const [file, bytes] of counts)
      this.uncertain.set(file, (this.uncertain.get(file) ?? 0) + bytes);
  }

  /**
   * Checks that only the process which holds the lease of a video changes what is published of it early.
   */
  async checkLeases(by: Life | null): Promise<void> {
    const rows = await this.database.db
      .selectFrom('files')
      .innerJoin('jobs', 'jobs.subject', 'files.id')
      .select(['files.id', 'files.prefix', 'files.playable', 'jobs.lease_token as token'])
      .where('files.status', '=', 'processing')
      .where('files.file_type', '=', 'video')
      .where('jobs.state', '=', 'running')
      .execute();
    const current = new Map<string, Publication>();
    for (const { id, token, prefix, playable } of rows) {
      if (token === null) continue;
      if (!this.holders.has(token)) this.holders.set(token, by);
      const now = { token, prefix, playable };
      const before = this.publications.get(id);
      current.set(id, now);
      if (before?.token !== token || before.playable === 0) continue;
      if (now.playable === 1 && now.prefix === before.prefix) continue;
      if (by === this.holders.get(token)) continue;
      this.fail(`${by?.name} changed the early publication of ${id} without its lease`);
    }
    this.publications = current;
  }

  /** Checks everything once nothing happens any more. */
  async checkAll(): Promise<void> {
    await this.checkJobs();
    await this.checkFiles();
    await this.checkBandwidth();
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
      const row = await this.database.db
        .selectFrom('files')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
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

  /** Each byte that was sent is counted once, except those that died with a process. */
  private async checkBandwidth(): Promise<void> {
    const { sent, uncertain } = this;
    const rows = await this.database.db
      .selectFrom('file_bandwidth')
      .select(({ fn }) => ['file_id', fn.sum<number>('bytes').as('bytes')])
      .groupBy('file_id')
      .execute();
    for (const { file_id, bytes } of rows) {
      // The counts of a deleted file are deleted with it.
      if (this.files.get(file_id)?.state !== 'live') continue;
      const all = sent.get(file_id) ?? 0;
      const least = all - (uncertain.get(file_id) ?? 0);
      if (bytes > all || bytes < least)
        this.fail(`${bytes} bytes are counted of ${file_id}, ${least} to ${all} were sent`);
      sent.set(file_id, bytes);
    }
    uncertain.clear();
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
