import { parseArgs } from 'node:util';
import { reportAdmin } from './admin.ts';
import { reportDashboard } from './dashboard.ts';
import { reportDerivatives } from './derivatives.ts';
import { reportMedia } from './media.ts';
import { reportServer } from './server.ts';
import { reportSoak } from './soak.ts';
import { reportUploads } from './uploads.ts';

const PARTS = {
  server: reportServer,
  media: reportMedia,
  uploads: reportUploads,
  derivatives: reportDerivatives,
  dashboard: reportDashboard,
  admin: reportAdmin,
  soak: reportSoak,
};
/** All but what runs for as long as it is told to. */
const USUAL = Object.keys(PARTS).filter((name) => name !== 'soak');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
  },
});

try {
  for (const name of positionals.length > 0 ? positionals : USUAL) {
    const report = Object.entries(PARTS).find(([part]) => part === name)?.[1];
    if (!report) throw new Error(`There is no part ${name}: ${Object.keys(PARTS).join(', ')}.`);
    await report({ isQuick: values.quick, minutes: Number(values.minutes) });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
