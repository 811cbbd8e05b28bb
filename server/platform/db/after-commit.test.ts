import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine, describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { afterCommit } from './after-commit.ts';
import type { Tx } from './port.ts';

await describeEachEngine('what waits for a commit', (open) => {
  test('is done after it, in its order, and before the transaction resolves', async () => {
    const { transaction, db } = await open();
    await sql`create table things (name text)`.execute(db);
    const done: string[] = [];
    const result = await transaction(async (tx) => {
      afterCommit(tx, async () => {
        const { rows } = await sql`select name from things`.execute(db);
        done.push(`${rows.length} thing`);
      });
      afterCommit(tx, () => void done.push('second'));
      await sql`insert into things values ('a')`.execute(tx);
      done.push('in the transaction');
      return 'result';
    });
    expect(result).toBe('result');
    expect(done).toEqual(['in the transaction', '1 thing', 'second']);
  });

  test('is not done where the transaction is undone', async () => {
    const { transaction } = await open();
    const done: string[] = [];
    const undone = transaction(async (tx) => {
      afterCommit(tx, () => void done.push('told'));
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await transaction(async () => {});
    expect(done).toEqual([]);
  });

  test('fails what has started the transaction, and what waits behind it is done all the same', async () => {
    const { transaction } = await open();
    const done: string[] = [];
    const failing = transaction(async (tx) => {
      afterCommit(tx, () => {
        throw new Error('broken');
      });
      afterCommit(tx, () => void done.push('told'));
    });
    await expect(failing).rejects.toThrow('broken');
    expect(done).toEqual(['told']);
  });

  test('is refused for a transaction of which nobody watches the commit', async () => {
    const { db } = await open();
    const unwatched = db.transaction().execute(async (tx) => afterCommit(tx as Tx, () => {}));
    await expect(unwatched).rejects.toThrow('not started by Database.transaction');
  });
});

await describeOnPostgres('what waits for a commit on PostgreSQL', (open) => {
  test('is done once where the transaction runs again', async () => {
    const { transaction } = await open();
    const done: number[] = [];
    let runs = 0;
    await transaction(async (tx) => {
      runs += 1;
      const run = runs;
      afterCommit(tx, () => void done.push(run));
      if (run === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    });
    expect(done).toEqual([2]);
  });
});
