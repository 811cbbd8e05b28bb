import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { toLogLine } from '../../log.ts';

const SLICE_SIZE = 20_000;
/** How many files take long enough that an operator wants to see progress. */
const REPORTED_FILES = 100_000;

/** A path of a name has room for what is added where it is taken. Names of up to 255 characters are shortened. */
const BASE = (name: string) => `case when ${name} in ('', '.', '..') then '_'
  when octet_length(${name}) > 960 then substr(${name}, 1, 240) else ${name} end`;

/** What `base` has up to its last dot. */
const TO_DOT = `rtrim(base, replace(base, '.', ''))`;
const STEM = `case when length(${TO_DOT}) > 1 then substr(base, 1, length(${TO_DOT}) - 1) else base end`;
const EXTENSION = `case when length(${TO_DOT}) > 1 then substr(base, length(${TO_DOT})) else '' end`;

const TYPES = {
  image: {
    ...{ jpg: 'jpeg', jpeg: 'jpeg', png: 'png', apng: 'apng', webp: 'webp', avif: 'avif' },
    ...{ gif: 'gif', svg: 'svg+xml', heic: 'heic', heif: 'heif', tif: 'tiff', tiff: 'tiff' },
    bmp: 'bmp',
  },
  video: {
    ...{ mp4: 'mp4', m4v: 'x-m4v', mov: 'quicktime', '3gp': '3gpp', '3g2': '3gpp2' },
    ...{ mkv: 'x-matroska', webm: 'webm', avi: 'x-msvideo', flv: 'x-flv', mpg: 'mpeg' },
    ...{ mpeg: 'mpeg', mts: 'mp2t', ts: 'mp2t', wmv: 'x-ms-wmv', ogv: 'ogg' },
  },
};

const CONTENT_TYPE = `case ${Object.entries(TYPES)
  .flatMap(([type, subtypes]) =>
    Object.entries(subtypes).map(
      ([extension, subtype]) =>
        `when file_type = '${type}' and lower(name) like '%.${extension}' then '${type}/${subtype}'`,
    ),
  )
  .join('\n')} else 'application/octet-stream' end`;

/**
 * Gives each file a path of its own in its bucket, which is its name. Where files share a name, the oldest keeps
 * it, and the others get a number, as in `photo (2).jpg`. All of it is one transaction: where it is cut off, it
 * has not begun.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const collation = isPostgres ? 'collate "C"' : '';
  const columns = [
    `path text ${collation} not null default ''`,
    `content_type text not null default ''`,
    'superseded_at bigint',
  ];
  for (const column of columns) {
    await sql.raw(`alter table files add column ${column}`).execute(db);
  }
  await numberDuplicates(db);
  await fill(db);
  await sql`drop table duplicate_names`.execute(db);
  if (isPostgres) {
    await sql`alter table files alter column path drop default,
      alter column content_type drop default`.execute(db);
  }
  await sql`create unique index files_head on files (bucket_id, path)
    where superseded_at is null`.execute(db);
}

/** Makes a temporary table with the paths of the files whose name an older file of the bucket has. */
async function numberDuplicates(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create temporary table duplicate_names as
    select id, bucket_id, base, ${STEM} || ' (' || number || ')' || ${EXTENSION} as path
    from (
      select id, bucket_id, base, row_number() over (partition by bucket_id, base order by id) as number
      from (select id, bucket_id, ${BASE('name')} as base from files) named
    ) numbered where number > 1`)
    .execute(db);
  await sql`create index duplicate_paths on duplicate_names (bucket_id, path)`.execute(db);
  await sql`create index duplicate_ids on duplicate_names (id)`.execute(db);
  // A file may have been uploaded under the numbered name, and under a name that has the id. Nobody knew the random
  // characters. SQLite joins tables in their order where it is a cross join, and would otherwise read all files of the
  // bucket for each duplicate.
  for (const random of ['', `-${crypto.randomUUID().slice(0, 8)}`]) {
    await sql
      .raw(`update duplicate_names set path = ${STEM} || ' (' || id || '${random})' || ${EXTENSION}
      where id in (
        select duplicate.id from files cross join duplicate_names duplicate
        where duplicate.bucket_id = files.bucket_id and duplicate.path = ${BASE('files.name')})`)
      .execute(db);
  }
}

/** Sets the paths and types of all files, in slices so that there is progress to report. */
async function fill(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ files: number }>`select count(*) as files from files`.execute(db);
  const total = rows[0]?.files ?? 0;
  let after = '';
  for (let done = 0; done < total; done += SLICE_SIZE) {
    const slice = await sql<{ id: string }>`select max(id) as id from (
      select id from files where id > ${after} order by id limit ${sql.lit(SLICE_SIZE)}) slice`.execute(
      db,
    );
    const last = slice.rows[0]?.id ?? after;
    await sql`update files set content_type = ${sql.raw(CONTENT_TYPE)}, path = coalesce(
        (select path from duplicate_names where duplicate_names.id = files.id),
        ${sql.raw(BASE('name'))})
      where id > ${after} and id <= ${last}`.execute(db);
    after = last;
    if (total >= REPORTED_FILES) report(Math.min(done + SLICE_SIZE, total), total);
  }
}

function report(done: number, total: number): void {
  process.stdout.write(toLogLine('info', { done, total }, 'giving files their paths'));
}
