import { link, open, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GIB, KIB, MIB } from '../../../contract/limits.ts';
import { memoizeAsync } from '../../../contract/memoize.ts';
import { isSystemError } from '../../system-error.ts';
import { publish } from '../disk-files.ts';
import type { Slot } from '../port.ts';
import { temporaryPath } from '../temporary-files.ts';
import type { Place } from '../write-stream.ts';
import { punchHole, supportsSlots } from './punch-hole.ts';
import { filePath, toLink } from './slice.ts';

/** Smaller objects are copied sooner than they are put beside others. */
const MIN_SLOT_BYTES = MIB;
/** No block of the disk has bytes of two slots: a power cut while one is written leaves the other. */
export const BLOCK_BYTES = 4 * KIB;
/** File systems refuse to write far behind the end of a file, ext4 with small blocks from 4 TiB on. */
const MAX_FILE_BYTES = 1024 * GIB;
/** What is forgotten is copied when it is composed. */
const LIMITS = { files: 256, objects: 50_000 };

/** A file that has the bytes of several objects, each in its slot. */
type SharedFile = {
  /** A temporary name while somebody writes, and else the one that an object has of it. */
  path: string;
  /** Whether the temporary name is there. */
  ready: Promise<boolean>;
  writers: number;
  /** The paths of the objects by their slots; null for one that is being written. */
  objects: Map<number, string | null>;
};

/** An object by its path, and its size in bytes. */
type Source = { path: string; size: number };

/**
 * The files into which this process writes objects side by side, so that an object which is composed of them is another
 * name of the file. Nobody else writes to these files, and after a restart nobody does: what is known of them is in
 * memory alone. An object never changes, since its slot is not given twice.
 */
export class SharedFiles {
  private readonly files = new Map<string, SharedFile>();
  private readonly isSupported: () => Promise<boolean>;

  /** @param limits how many files are known, and how many objects in them */
  constructor(
    private readonly folders: { tmp: string; objects: string },
    private readonly limits = LIMITS,
  ) {
    this.isSupported = memoizeAsync(() => supportsSlots(temporaryPath(folders.tmp)));
  }

  /**
   * Puts an object into a slot of its folder. Returns its size; null where it must be a file of its own, and then nothing
   * was written. Throws what `write` throws, and then nothing stays.
   * @param write returns how many bytes it has written, all of which are on the disk
   */
  async put(
    target: string,
    slot: Slot,
    write: (place: Place) => Promise<number>,
  ): Promise<number | null> {
    if (!isUsable(slot) || !(await this.isSupported())) return null;
    const name = nameOf(target, slot.bytes);
    const file = this.files.get(name) ?? this.create(name);
    if (file.objects.has(slot.number)) return null;
    file.objects.set(slot.number, null);
    this.forget();
    file.writers += 1;
    if (file.writers === 1) file.ready = this.makeTemporary(name, file);
    try {
      const start = slot.number * slot.bytes;
      const range = { start, end: start + slot.bytes };
      const size = (await file.ready) && (await this.write(file, target, range, write));
      if (size !== false) file.objects.set(slot.number, target);
      return size === false ? null : size;
    } finally {
      if (file.objects.get(slot.number) === null) file.objects.delete(slot.number);
      file.writers -= 1;
      if (file.writers === 0) await this.removeTemporary(name, file);
    }
  }

  private create(name: string): SharedFile {
    const file = { path: '', ready: Promise.resolve(false), writers: 0, objects: new Map() };
    this.files.set(name, file);
    return file;
  }

  /** Forgets the oldest files where there are too many, or too many objects in them. */
  private forget(): void {
    let objects = 0;
    for (const file of this.files.values()) objects += file.objects.size;
    for (const [name, file] of this.files) {
      if (this.files.size <= this.limits.files && objects <= this.limits.objects) return;
      objects -= file.objects.size;
      this.files.delete(name);
    }
  }

  /**
   * Gives a file a name that no object has, since those may be deleted while others write. Returns false where the file
   * is gone.
   */
  private async makeTemporary(name: string, file: SharedFile): Promise<boolean> {
    const earlier = file.path;
    file.path = temporaryPath(this.folders.tmp);
    try {
      if (earlier === '') await writeFile(file.path, '', { flag: 'wx', mode: 0o600 });
      else await link(earlier, file.path);
      return true;
    } catch {
      // The objects become files of their own, or fail as those do.
      this.drop(name, file);
      return false;
    }
  }

  private async removeTemporary(name: string, file: SharedFile): Promise<void> {
    const temporary = file.path;
    const object = file.objects.values().find((path) => path !== null);
    if (object) file.path = filePath(object);
    else this.drop(name, file);
    await rm(temporary, { force: true });
  }

  private drop(name: string, file: SharedFile): void {
    if (this.files.get(name) === file) this.files.delete(name);
  }

  private async write(
    file: SharedFile,
    target: string,
    { start, end }: { start: number; end: number },
    write: (place: Place) => Promise<number>,
  ): Promise<number> {
    const handle = await open(file.path, 'r+');
    try {
      const size = await write({ handle, start });
      await this.publish(file, target, { start, size });
      return size;
    } catch (error) {
      await punchHole(handle.fd, start, end);
      // A file system may have only so many names for a file.
      if (isSystemError(error, 'EMLINK')) this.drop(nameOf(target, end - start), file);
      throw error;
    } finally {
      await handle.close();
    }
  }

  private async publish(
    file: SharedFile,
    target: string,
    slice: { start: number; size: number },
  ): Promise<void> {
    const [path, name] = [temporaryPath(this.folders.tmp), filePath(target)];
    try {
      await symlink(toLink(target, slice), path);
      const prepare = async () => {
        await rm(name, { force: true });
        await link(file.path, name);
      };
      await publish(path, target, this.folders.objects, { prepare });
    } catch (error) {
      for (const one of [path, name]) await rm(one, { force: true });
      throw error;
    }
  }

  /**
   * Returns a file that begins with the bytes of objects one after the other, and to which nobody writes any more; null
   * where there is none.
   */
  take(sources: Source[]): string | null {
    const [first] = sources;
    if (!first) return null;
    const name = nameOf(first.path, first.size);
    const file = this.files.get(name);
    if (file?.writers !== 0 || file.objects.size !== sources.length) return null;
    const areInPlace = sources.every(
      ({ path, size }, number) =>
        file.objects.get(number) === path && (size === first.size || number === sources.length - 1),
    );
    if (!areInPlace) return null;
    this.files.delete(name);
    return file.path;
  }
}

/** Whether the bytes of a slot can be written beside those of others. */
const isUsable = ({ number, bytes }: Slot): boolean =>
  bytes >= MIN_SLOT_BYTES && bytes % BLOCK_BYTES === 0 && (number + 1) * bytes <= MAX_FILE_BYTES;

const nameOf = (path: string, slotBytes: number): string => `${dirname(path)}:${slotBytes}`;
