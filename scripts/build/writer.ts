import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Text pays for compressing; fonts are compressed already. */
const TEXT = /\.(js|css|svg|map|m3u8|vtt)$/;

/**
 * Logical name → file name, and for every script what it needs before it can run: a browser that
 * is told at once does not find its imports one after the other.
 */
export type Manifest = {
  fingerprint: string;
  files: Record<string, string>;
  imports: Record<string, string[]>;
  /** Every file of this build, for others may lie beside them. */
  all: string[];
  /** The packages that the scripts are made of, as folders. */
  packages: string[];
};

const KEPT_MS = 24 * 60 * 60 * 1000;

/** The folder of built files. The manifest is written last, so a build cut short is no build. */
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

  /** Stores bytes under a name with their hash in it; returns that name. */
  async add(logical: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const dot = logical.lastIndexOf('.');
    const hash = Bun.hash.xxHash64(bytes).toString(36);
    const file = `${logical.slice(0, dot)}-${hash}${logical.slice(dot)}`;
    await this.store(file, bytes);
    this.files[logical] = file;
    return file;
  }

  /** Stores files that name each other, as they are, below a folder with the hash of all in its name. */
  async addFolder(logical: string, files: (readonly [string, Uint8Array<ArrayBuffer>])[]) {
    const hash = Bun.hash.xxHash64(files.map(([, bytes]) => Bun.hash.xxHash64(bytes)).join());
    for (const [name, bytes] of files) {
      const file = `${logical}-${hash.toString(36)}/${name}`;
      await this.store(file, bytes);
      this.files[`${logical}/${name}`] = file;
    }
  }

  /** Stores bytes whose name the bundler has made. */
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

  /** Removes what old builds left, but for the last day: a server may be running on it. */
  private async prune() {
    for (const name of await readdir(this.path, { recursive: true })) {
      const path = join(this.path, name);
      const found = await stat(path);
      const isOld = found.isFile() && found.mtimeMs < Date.now() - KEPT_MS;
      if (isOld && !this.stored.has(name)) await rm(path);
    }
  }
}

/** The parts of a build end in any order; two builds of one commit are the same bytes. */
const sortKeys = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
