import { openDirectoryReader, type RawEntry } from './directory-entries.ts';

/*
 * The entry of the thread that reads large folders, which the program starts and scripts/binary.ts compiles
 * beside it. Each request is the descriptor of an open folder.
 */

declare const self: Worker;

/** The next entries of a folder, null at its end. */
export type FolderReply = { entries: RawEntry[] | null } | { error: string };

const readNext = openDirectoryReader();

self.onmessage = ({ data }: MessageEvent<number>) => self.postMessage(replyTo(data));

function replyTo(descriptor: number): FolderReply {
  try {
    return { entries: readNext?.(descriptor) ?? null };
  } catch (error) {
    return { error: String(error) };
  }
}
