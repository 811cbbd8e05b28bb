import { findPrograms } from '../programs.ts';
import type { PartOptions } from '../targets.ts';
import { reportDeliveryByPath } from './by-path.ts';
import { reportFolders } from './folders.ts';
import { reportLargeFiles } from './large-files.ts';

/** Prints the delivery of files by their paths, the lists and moves of large folders, and large files. */
export async function reportFiles({ isQuick, scale, judge }: PartOptions): Promise<void> {
  const programs = findPrograms(['wrk', 'taskset', 'curl']);
  const files = scale.files ?? (isQuick ? 50_000 : 1_000_000);
  await reportDeliveryByPath(programs, isQuick, judge);
  await reportFolders({ files, moved: isQuick ? 5000 : 100_000 }, judge);
  await reportLargeFiles(programs, isQuick, judge);
}
