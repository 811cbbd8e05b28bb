import { expect, test } from 'bun:test';
import { CompiledQuery } from 'kysely';
import { describeOnSqlite } from '../support/server/engines.ts';
import { ARGUMENTS } from './exceptions.ts';
import { statementsOf } from './recorder.ts';
import { storeFunctions } from './stores.ts';

const functions = await storeFunctions();

/** What concerns the versions of one file, while others that were deleted at its path may have a million. */
const NAMES = [
  ...['purgeOldVersions', 'removeVersions', 'restoreRow', 'versionsOf'].map(inRetention),
  ...['markPurged', 'markTrashPurged'].map(
    (name) => `features/files/retention/purge-store.ts ${name}`,
  ),
  'features/files/versions/version-store.ts joinVersions',
  'features/files/paths/insertion-store.ts movement',
];

function inRetention(name: string): string {
  return `features/files/retention/retention-store.ts ${name}`;
}

/** Whether a statement asks for versions at a path by the time of their purge, or for those that have none. */
function asksForSet(text: string): boolean {
  const condition = text.slice(text.indexOf(' where '));
  return (
    /removal = 'replaced'/.test(condition) &&
    /\bpath"? = /.test(condition) &&
    /\bpurge_at"? (=|is) /.test(condition) &&
    // One version of a path has this id, by which an index of its own finds it.
    !/version_id = 'null'/.test(condition)
  );
}

// The statistics of made-up rows don't tell PostgreSQL's planner that a path has many versions.
describeOnSqlite('a statement about the versions of a file', (open) => {
  test.each(NAMES)('of %s reads no versions of other files', async (name) => {
    const { db } = await open();
    const call = functions.find((one) => one.name === name)?.call;
    if (!call) throw new Error(`there is no ${name}`);
    const { statements } = await statementsOf('sqlite', call, ARGUMENTS[name]);
    const asking = statements.filter(({ text }) => asksForSet(text));
    expect(asking.length).toBeGreaterThan(0);
    for (const { text, parameters } of asking) {
      const explained = CompiledQuery.raw(`explain query plan ${text}`, parameters);
      const { rows } = await db.executeQuery<{ detail: string }>(explained);
      const steps = rows.map(({ detail }) => detail);
      const plan = `${text}\n${steps.join('\n')}`;
      expect([plan, steps.some((step) => step.includes('path=? AND purge_at=?'))]).toEqual([
        plan,
        true,
      ]);
    }
  });
});
