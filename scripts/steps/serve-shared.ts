import { startPostgres } from '../../tests/support/services/postgres.ts';
import { startRgw } from '../../tests/support/services/rgw.ts';

/*
 * The PostgreSQL and the S3 server that test files share: each would start its own for some seconds of
 * processor time. Prints what tests find them by, as one line of JSON, and ends them with its standard input.
 */

const [postgres, rgw] = await Promise.all([startPostgres(), startRgw()]);
const settings = {
  ...(postgres && { WHARF_TEST_POSTGRES: postgres.url }),
  ...(rgw && { WHARF_TEST_RGW: rgw.url }),
};
process.stdout.write(`${JSON.stringify(settings)}\n`);
for await (const _ of Bun.stdin.stream());
process.exit(0);
