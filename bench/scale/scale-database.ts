import { Database as Sqlite } from 'bun:sqlite';
import { Pool } from 'pg';

export type Row = Record<string, string | number | null>;

/** The database of a server, for what the benchmark prepares and looks up beside the server. */
export type ScaleDatabase = {
  /** Inserts rows of the same columns, in transactions of thousands. */
  insert(table: string, rows: Iterable<Row>): Promise<void>;
  /** Runs a statement without parameters. */
  run(text: string): Promise<void>;
  /** Returns the number in the first column of the only row; 0 where there is none. */
  count(text: string): Promise<number>;
  /** Gathers the statistics that the planner uses, where the server does not do so by itself. */
  analyze(): Promise<void>;
  close(): Promise<void>;
};

const BATCH_SIZE = 5000;

function* batchesOf(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length === BATCH_SIZE) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Opens the file of a SQLite database. Nothing is lost that matters when the machine fails. */
export function openScaleSqlite(path: string): ScaleDatabase {
  const file = new Sqlite(path, { strict: true });
  file.run('pragma busy_timeout = 60000');
  file.run('pragma synchronous = off');
  return {
    async insert(table, rows) {
      for (const batch of batchesOf(rows)) {
        const columns = Object.keys(batch[0] ?? {});
        const marks = columns.map((name) => `$${name}`);
        const insert = file.query(
          `insert into ${table} (${columns.join(', ')}) values (${marks.join(', ')})`,
        );
        file.transaction(() => {
          for (const row of batch) insert.run(row);
        })();
      }
    },
    run: async (text) => void file.run(text),
    async count(text) {
      const row = file.query(text).values()[0];
      return Number(row?.[0] ?? 0);
    },
    async analyze() {
      // Its planner needs none.
    },
    close: async () => file.close(),
  };
}

/** Opens a PostgreSQL database. */
export function openScalePostgres(url: string): ScaleDatabase {
  const pool = new Pool({ connectionString: url, max: 2 });
  return {
    async insert(table, rows) {
      for (const batch of batchesOf(rows)) {
        const columns = Object.keys(batch[0] ?? {}).join(', ');
        await pool.query(
          `insert into ${table} (${columns})
           select ${columns} from json_populate_recordset(null::${table}, $1)`,
          [JSON.stringify(batch)],
        );
      }
    },
    run: async (text) => void (await pool.query(text)),
    async count(text) {
      const { rows } = await pool.query({ text, rowMode: 'array' });
      return Number(rows[0]?.[0] ?? 0);
    },
    // The server of the benchmark has no autovacuum, which gathers them elsewhere.
    analyze: async () => void (await pool.query('analyze')),
    close: () => pool.end(),
  };
}
