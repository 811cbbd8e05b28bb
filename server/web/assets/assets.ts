import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = { files: Record<string, string>; imports: Record<string, string[]> };

export type Assets = {
  folder: string;
  /**
   * Returns the URL of a built file by its logical name, such as `app.css`. Throws for an unknown
   * name.
   */
  url(logical: string): string;
  /** Returns how many bytes a built file has. */
  size(logical: string): number;
  /** Returns the URLs of the chunks that a script imports. */
  imports(logical: string): string[];
};

/** Reads the manifest of scripts/build.ts. Throws where there is no build. */
export function readAssets(folder: string): Assets {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  } catch (cause) {
    throw new Error(`No built assets in ${folder}. Run 'npm run build'.`, { cause });
  }
  const fileOf = (logical: string) => {
    const file = manifest.files[logical];
    if (!file) throw new Error(`Nothing built is called ${logical}.`);
    return file;
  };
  return {
    folder,
    url: (logical) => `/assets/${fileOf(logical)}`,
    size: (logical) => Bun.file(join(folder, fileOf(logical))).size,
    imports: (logical) => (manifest.imports[logical] ?? []).map((file) => `/assets/${file}`),
  };
}

let built: Assets | undefined;

/** The folder of the built files. Inside the binary, embedded files are beside the code. */
const FOLDER = join(
  import.meta.dir,
  Bun.isStandaloneExecutable ? 'assets' : '../../../dist/assets',
);

/**
 * Returns the built files of this installation, whose manifest is read when the first page needs
 * it.
 */
export function assets(): Assets {
  built ??= readAssets(FOLDER);
  return built;
}
