import { join } from 'node:path';
import { buildProgram } from '../scripts/setup/bun.mjs';
import { runProgram } from '../scripts/setup/problem.mjs';
import { loadAverages, MAX_OTHER_LOAD, measureOtherLoad } from './measurement.ts';
import { HELP, type Options, type PartName, parseOptions } from './options.ts';
import { type PartOptions, startJudging, summaryLine, type Tally } from './targets.ts';

/**
 * The parts are loaded late, because the modules that start servers read WHARF_PROGRAM when they are
 * loaded.
 */
const REPORTS: Record<PartName, () => Promise<(options: PartOptions) => Promise<void>>> = {
  server: async () => (await import('./server.ts')).reportServer,
  media: async () => (await import('./media/media.ts')).reportMedia,
  uploads: async () => (await import('./uploads/uploads.ts')).reportUploads,
  transforms: async () => (await import('./media/transforms.ts')).reportTransforms,
  dashboard: async () => (await import('./dashboard/dashboard.ts')).reportDashboard,
  admin: async () => (await import('./dashboard/admin.ts')).reportAdmin,
  files: async () => (await import('./files/files.ts')).reportFiles,
  s3: async () => (await import('./s3/s3.ts')).reportS3,
  scale: async () => (await import('./scale/scale.ts')).reportScale,
  soak: async () => (await import('./soak/soak.ts')).reportSoak,
};

const options = optionsOrExit();
// What is registered with atExit, such as servers, ends with this process.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await runProgram(async () => {
  console.log(loadAverages());
  if (options.isSource) delete process.env.WHARF_PROGRAM;
  else process.env.WHARF_PROGRAM = buildProgram(join(import.meta.dir, '..'));
  console.log(`measuring ${process.env.WHARF_PROGRAM ?? 'the sources'}`);
  if (!(await runParts(options))) process.exitCode = 1;
});

/** Parses the command line. Ends the process where it requests help or is wrong. */
function optionsOrExit(): Options {
  try {
    const parsed = parseOptions(process.argv.slice(2));
    if (parsed) return parsed;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${HELP}`);
    process.exit(2);
  }
}

/** Runs the parts one after the other. A part that fails is named, and the others still run. */
async function runParts({ parts, ...how }: Options): Promise<boolean> {
  const tallies: Tally[] = [];
  const unfinished: PartName[] = [];
  let otherLoad = await measureOtherLoad();
  for (const name of parts) {
    const isBusy = otherLoad > MAX_OTHER_LOAD;
    console.log(`\n${name}: ${loadAverages()}, of other work ${otherLoad.toFixed(2)}`);
    if (isBusy) console.log(`${aboveLimit(otherLoad)} Targets are not judged.`);
    const { judge, tally, withdraw } = startJudging(otherLoad);
    try {
      await (await REPORTS[name]())({ ...how, judge });
    } catch (error) {
      console.error(`${name} did not finish: ${messageOf(error)}`);
      unfinished.push(name);
    }
    otherLoad = await measureOtherLoad();
    if (!isBusy && otherLoad > MAX_OTHER_LOAD) {
      console.log(`${aboveLimit(otherLoad)} The verdicts on ${name} do not count.`);
      withdraw();
    }
    tallies.push(tally);
  }
  console.log(`\n${summaryLine(tallies, unfinished)}`);
  return unfinished.length === 0;
}

function aboveLimit(load: number): string {
  return `Other work loads this machine with ${load.toFixed(2)}, which is above ${MAX_OTHER_LOAD}.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
