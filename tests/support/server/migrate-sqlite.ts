import { migrate } from '../../../server/platform/db/migrate.ts';
import { openSqlite } from '../../../server/platform/db/sqlite/open.ts';

/** Makes an SQLite file with all tables at the path on the command line. */
const [path] = process.argv.slice(2);
if (!path) throw new Error('Name a file.');
const database = openSqlite(path);
await migrate(database);
await database.close();
