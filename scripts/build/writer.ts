import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Compressing pays for text only, as fonts are compressed already. */
const TEXT = /\.(js|css|svg|map|m3u8|vtt)$/;

/**
 * Logical name → file name, and for every script the files it needs before it can run, so that a browser
 * does not discover its imports one after the other.
 */
export type Manifest = {
  fingerprint: string;
  files: Record<string, string>;
  imports: Record<string, string[]>;
  /** Every file of this build, because other files may be in the folder. */
  all: string[];
  /** The packages that are bundled in the scripts, as folders. */
  packages: string[];
};

const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** The folder of built files. The manifest is written last, so an interrupted build does not count. */
export class AssetFolder {
  private readonly files: Record<string, string> = {};
  private readonly imports: Record<string, string[]> = {};
  private readonly stored = new Set(['manifest.json']);

  constructor(private readonly path: string) {}

  async isCurrent(fingerprint: string): Promise<boolean> {
    const file = Bun.file(join(this.path, 'manifest.json'));
    if (!(await file.exists())) return false;
    const manifest: Manifest = await file.json();
    return manifest.fingerprint === fingerprint;
  }

  async prepare() {
    await mkdir(this.path, { recursive: true });
  }

  /** Stores bytes under a name that contains their hash, and returns that name. */
  async add(logical: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const dot = logical.lastIndexOf('.');
    const hash = Bun.hash.xxHash64(bytes).toString(36);
    const file = `${logical.slice(0, dot)}-${hash}${logical.slice(dot)}`;
    await this.store(file, bytes);
    this.files[logical] = file;
    return file;
  }

  /**
   * Stores files that refer to each other under unchanged names, in a folder whose name contains their
   * common hash.
   */
  async addFolder(logical: string, files: (readonly [string, Uint8Array<ArrayBuffer>])[]) {
    const hash = Bun.hash.xxHash64(files.map(([, bytes]) => Bun.hash.xxHash64(bytes)).join());
    for (const [name, bytes] of files) {
      const file = `${logical}-${hash.toString(36)}/${name}`;
      await this.store(file, bytes);
      this.files[`${logical}/${name}`] = file;
    }
  }

  /** Stores bytes under a name that the bundler has chosen. */
  async store(file: string, bytes: Uint8Array<ArrayBuffer>) {
    await this.write(file, bytes);
    if (!TEXT.test(file)) return;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    await this.write(`${file}.br`, brotliCompressSync(bytes, { params }));
    await this.write(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }

  private async write(name: string, bytes: Uint8Array<ArrayBuffer>) {
    this.stored.add(name);
    await Bun.write(join(this.path, name), bytes);
  }

  nameScript(logical: string, file: string, imports: string[]) {
    this.files[logical] = file;
    this.imports[logical] = imports;
  }

  async finish(fingerprint: string, packages: string[]) {
    const manifest: Manifest = {
      fingerprint,
      files: sortKeys(this.files),
      imports: sortKeys(this.imports),
      all: [...this.stored].sort(),
      packages,
    };
    const temporary = join(this.path, 'manifest.json.new');
    await Bun.write(temporary, JSON.stringify(manifest, null, 1));
    await rename(temporary, join(this.path, 'manifest.json'));
    await this.prune();
  }

  /** Removes the files of builds that are older than a day. A server may still be running on a newer one. */
  private async prune() {
    for (const name of await readdir(this.path, { recursive: true })) {
      const path = join(this.path, name);
      const stats = await stat(path);
      const isOld = stats.isFile() && stats.mtimeMs < Date.now() - MAX_AGE_MS;
      if (isOld && !this.stored.has(name)) await rm(path);
    }
  }
}

/**
 * Sorts by name, because the parts of a build finish in any order and two builds of one commit must be
 * identical.
 */
const sortKeys = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
