import { startPostgres } from '../../tests/support/services/postgres.ts';
import { startRgw } from '../../tests/support/services/rgw.ts';

/*
 * Runs the PostgreSQL and the S3 server that test files share, because starting one for each file would take
 * seconds of CPU time. Prints their addresses as one line of JSON, and ends when its standard input ends.
 */

// Nobody reads the addresses any more if `npm test` was stopped while the servers were starting.
process.stdout.on('error', () => process.exit(0));

const [postgres, rgw] = await Promise.all([startPostgres(), startRgw()]);
const settings = {
  ...(postgres && { WHARF_TEST_POSTGRES: postgres.url }),
  ...(rgw && { WHARF_TEST_RGW: rgw.url }),
};
process.stdout.write(`${JSON.stringify(settings)}\n`);
for await (const _ of Bun.stdin.stream());
process.exit(0);
