import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = { files: Record<string, string>; imports: Record<string, string[]> };

export type Assets = {
  folder: string;
  /** The URL of what is known as `app.css`, `hydrate.js`, … Throws on a name nobody built. */
  url(logical: string): string;
  /** How many bytes it has. */
  size(logical: string): number;
  /** The URLs of the chunks a script needs before it can run. */
  imports(logical: string): string[];
};

/** Reads what scripts/build.ts made. Throws when the pages were never built. */
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

/** Inside the binary, everything embedded lies beside its code. */
const FOLDER = join(
  import.meta.dir,
  Bun.isStandaloneExecutable ? 'assets' : '../../../dist/assets',
);

/** The built pages of this installation, read once, when the first page needs them. */
export function assets(): Assets {
  built ??= readAssets(FOLDER);
  return built;
}
