import { parseArgs } from 'node:util';
import { reportDashboard } from './dashboard.ts';
import { reportDerivatives } from './derivatives.ts';
import { reportMedia } from './media.ts';
import { reportServer } from './server.ts';
import { reportUploads } from './uploads.ts';

const PARTS = {
  server: reportServer,
  media: reportMedia,
  uploads: reportUploads,
  derivatives: reportDerivatives,
  dashboard: reportDashboard,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});

try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
    const report = Object.entries(PARTS).find(([part]) => part === name)?.[1];
    if (!report) throw new Error(`There is no part ${name}: ${Object.keys(PARTS).join(', ')}.`);
    await report({ isQuick: values.quick });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
