import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { generateImage } from '../../media/transforms/generate-image.ts';
import { PRODUCT_PICTURES } from '../../server/features/landing/product-pictures.ts';
import { CLIP } from '../../server/web/assets/assets.ts';
import type { AssetFolder } from './writer.ts';

const STATICS: Record<string, string> = {
  'embed.css': 'server/web/styles/embed.css',
  'pdf.css': 'server/web/styles/pdf.css',
  'pdf-worker.js': 'node_modules/pdfjs-dist/build/pdf.worker.min.mjs',
  'favicon.svg': 'server/web/styles/favicon.svg',
  ...Object.fromEntries(
    PRODUCT_PICTURES.map(({ name }) => [name, `server/features/landing/${name}`]),
  ),
};

/** The photo is in the public domain (CC0 1.0) and comes from MDN's learning area. */
const PHOTO = 'server/features/landing/red-panda.jpg';
/** The transform that a bucket applies by default. */
const AS_DELIVERED = {
  width: null,
  height: null,
  fit: 'scale-down',
  gravity: 'auto',
  quality: null,
  blur: 0,
  sharpen: 0,
  rotate: 0,
  background: null,
} as const;

/** Copies what is served as it is, such as the favicon. Returns logical name → file name. */
export async function copyStatics(root: string, folder: AssetFolder) {
  const copied: Record<string, string> = {};
  for (const [logical, path] of Object.entries(STATICS)) {
    copied[logical] = await folder.add(logical, await Bun.file(join(root, path)).bytes());
  }
  return copied;
}

/** Adds the landing page's photo, in its original form and exactly as our own encoder delivers it. */
export async function makePictures(root: string, folder: AssetFolder) {
  const source = join(root, PHOTO);
  await folder.add('photo.jpg', await Bun.file(source).bytes());
  const work = await mkdtemp(join(tmpdir(), 'wharf-pictures-'));
  try {
    for (const format of ['avif', 'webp'] as const) {
      const path = join(work, `photo.${format}`);
      await generateImage(source, path, { ...AS_DELIVERED, format });
      await folder.add(`photo.${format}`, await Bun.file(path).bytes());
    }
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Adds the landing page's clip exactly as the media pipeline made it; scripts/clip.ts runs that. */
export async function copyClip(root: string, folder: AssetFolder) {
  const from = join(root, 'server/web/assets/clip');
  const contents = CLIP.files.map(
    async (name) => [name, await Bun.file(join(from, name)).bytes()] as const,
  );
  await folder.addFolder('clip', await Promise.all(contents));
}

/**
 * Adds what pdf.js loads where a PDF needs it, under one folder: its decoders of scans with their licences, and the
 * encodings of Chinese, Japanese and Korean texts.
 */
export async function copyPdfParts(root: string, folder: AssetFolder) {
  const from = join(root, 'node_modules/pdfjs-dist');
  const names = [
    ...new Bun.Glob('wasm/{jbig2,openjpeg}.wasm').scanSync(from),
    ...new Bun.Glob('wasm/LICENSE_*{JBIG2,OPENJPEG}').scanSync(from),
    ...new Bun.Glob('cmaps/{*.bcmap,LICENSE}').scanSync(from),
  ].sort();
  const parts = names.map(
    async (name) => [basename(name), await Bun.file(join(from, name)).bytes()] as const,
  );
  await folder.addFolder('pdf', await Promise.all(parts));
}

/**
 * Builds the stylesheet. Tailwind's own command line makes half the CSS of the Bun plugin. `/assets/NAME`
 * in it is replaced by the hashed name.
 */
export async function buildStyles(
  root: string,
  folder: AssetFolder,
  statics: Record<string, string>,
  development: boolean,
) {
  const tool = Bun.spawn(
    [
      process.execPath,
      '--bun',
      join(root, 'node_modules/.bin/tailwindcss'),
      '--input',
      join(root, 'server/web/styles/app.css'),
      ...(development ? [] : ['--minify']),
    ],
    { cwd: root, stdout: 'pipe', stderr: 'pipe' },
  );
  const [css, complaint, status] = await Promise.all([
    new Response(tool.stdout).text(),
    new Response(tool.stderr).text(),
    tool.exited,
  ]);
  if (status !== 0) throw new Error(`tailwindcss failed:\n${complaint}`);
  const named = css.replace(/\/assets\/([\w.-]+)/g, (_whole, logical: string) => {
    const file = statics[logical];
    if (!file) throw new Error(`The styles name /assets/${logical}, which nothing makes.`);
    return `/assets/${file}`;
  });
  await folder.add('app.css', new TextEncoder().encode(named));
}
