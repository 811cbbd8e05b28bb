import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import about from './clip/about.json' with { type: 'json' };

type Manifest = {
  fingerprint: string;
  files: Record<string, string>;
  imports: Record<string, string[]>;
};

type Assets = {
  folder: string;
  /** Tells one build from another. */
  build: string;
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
function readAssets(folder: string): Assets {
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
    build: manifest.fingerprint.slice(0, BUILD_LENGTH),
    url: (logical) => `/assets/${fileOf(logical)}`,
    size: (logical) => Bun.file(join(folder, fileOf(logical))).size,
    imports: (logical) => (manifest.imports[logical] ?? []).map((file) => `/assets/${file}`),
  };
}

/** Characters of the hash over everything that the assets are built of. */
const BUILD_LENGTH = 12;

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

/**
 * The clip of the landing page, as scripts/clip.ts has described it: sizes in bytes, the duration
 * in milliseconds.
 */
export const CLIP = about;

/** The path of the player's page with the clip. */
export const CLIP_PAGE = '/embed/sample';

/** Returns the URL of a file of the clip. The playlists contain relative paths of the others. */
export const clipUrl = (name: string) => assets().url(`clip/${name}`);

/** Returns how many bytes a file of the clip has. */
export const clipSize = (name: string) => assets().size(`clip/${name}`);
