import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** What no program may do to the ledger, however wrong it is: both databases refuse it themselves. */
export async function guardLedger(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db);
}

const APPEND_ONLY = 'the ledger is append-only';
const OUT_OF_ORDER = 'the entry does not follow the last one of its account';

// `insert or replace` removes rows without telling a trigger of it, so a known ref is refused before.
const SQLITE = [
  `create trigger ledger_chain before insert on ledger_entries begin
     select raise(abort, '${OUT_OF_ORDER}')
     where new.seq <> 1 + coalesce(
         (select max(seq) from ledger_entries where user_id = new.user_id), 0)
       or new.balance <> new.amount + coalesce(
         (select balance from ledger_entries where user_id = new.user_id order by seq desc limit 1), 0);
     select raise(abort, '${APPEND_ONLY}')
     where exists (select 1 from ledger_entries where ref = new.ref);
   end`,
  `create trigger ledger_no_update before update on ledger_entries begin
     select raise(abort, '${APPEND_ONLY}');
   end`,
  `create trigger ledger_no_delete before delete on ledger_entries begin
     select raise(abort, '${APPEND_ONLY}');
   end`,
];

const POSTGRES = [
  `create function ledger_chain() returns trigger language plpgsql as $$
   declare last record;
   begin
     select seq, balance into last from ledger_entries
       where user_id = new.user_id order by seq desc limit 1;
     if new.seq <> coalesce(last.seq, 0) + 1
       or new.balance <> coalesce(last.balance, 0) + new.amount then
       raise exception '${OUT_OF_ORDER}';
     end if;
     return new;
   end $$`,
  `create function ledger_append_only() returns trigger language plpgsql as $$
   begin
     raise exception '${APPEND_ONLY}';
   end $$`,
  `create trigger ledger_chain before insert on ledger_entries
     for each row execute function ledger_chain()`,
  `create trigger ledger_no_change before update or delete on ledger_entries
     for each row execute function ledger_append_only()`,
  `create trigger ledger_no_truncate before truncate on ledger_entries
     for each statement execute function ledger_append_only()`,
];
