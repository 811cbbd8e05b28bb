import { rm } from 'node:fs/promises';
import { decode } from '../decoder/decode.ts';
import type { Decode } from '../decoder/tasks.ts';

/** Decodes in this process, without confinement. */
export const decodeHere: Decode = async (task, files) => {
  try {
    return await decode(task, files);
  } finally {
    await rm(files.source, { force: true });
  }
};
