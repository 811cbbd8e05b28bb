import { basename, join } from 'node:path';
import type { BunPlugin } from 'bun';
import type { AssetFolder } from './writer.ts';

/** Logical name → entry. `page.js` runs on every page, the others where a page requests them. */
const ENTRIES: Record<string, string> = {
  'page.js': 'islands/page/main.ts',
  'landing.js': 'islands/landing/main.ts',
  'docs.js': 'islands/docs/main.ts',
  'embed.js': 'islands/embed/main.ts',
  'pdf.js': 'islands/embed/pdf/main.ts',
  'hydrate.js': 'islands/runtime/hydrate.ts',
};

/** sonner adds a <style> without a nonce when it is imported. Our stylesheet contains its rules. */
const withoutInjectedStyle: BunPlugin = {
  name: 'sonner-without-injected-style',
  setup(build) {
    build.onLoad({ filter: /sonner[\\/]dist[\\/]index\.mjs$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text.replace(/^__insertCSS\(.*\);?$/m, '');
      if (contents === text) throw new Error('sonner injects its style in a new way: look again.');
      return { contents, loader: 'js' };
    });
  },
};

/** The player's controls contain <style> elements, which our policy allows with a nonce. */
const withNonce: BunPlugin = {
  name: 'media-chrome-with-nonce',
  setup(build) {
    build.onLoad({ filter: /media-chrome[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const nonce = `\${document.querySelector('script[nonce]').nonce}`;
      return {
        contents: text.replace(/<style(?=[\s>])/g, `<style nonce="${nonce}"`),
        loader: 'js',
      };
    });
  },
};

/**
 * Bundles the browser's scripts, with production React unless in development.
 * @returns the packages that are bundled
 */
export async function buildScripts(
  root: string,
  folder: Pick<AssetFolder, 'store' | 'nameScript'>,
  development: boolean,
): Promise<string[]> {
  const mode = development ? 'development' : 'production';
  const result = await Bun.build({
    entrypoints: Object.values(ENTRIES).map((path) => join(root, path)),
    root,
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: !development,
    sourcemap: development ? 'inline' : 'none',
    naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    jsx: { runtime: 'automatic', development },
    metafile: true,
    plugins: [withoutInjectedStyle, withNonce],
  });
  for (const output of result.outputs) {
    await folder.store(basename(output.path), new Uint8Array(await output.arrayBuffer()));
  }
  const { metafile } = result;
  if (!metafile) throw new Error('The bundler did not say what the scripts are made of.');
  const { outputs } = metafile;
  const entries = new Map(Object.entries(ENTRIES).map(([logical, path]) => [path, logical]));
  for (const [file, { entryPoint }] of Object.entries(outputs)) {
    if (!entryPoint) continue;
    const logical = entries.get(entryPoint) ?? basename(entryPoint).replace(/\.tsx?$/, '.js');
    folder.nameScript(logical, basename(file), staticImports(outputs, file));
  }
  return packagesIn(metafile);
}

type Outputs = NonNullable<Bun.BuildOutput['metafile']>['outputs'];

/** Returns every chunk that must be loaded before `file` can run. */
function staticImports(outputs: Outputs, file: string): string[] {
  const imports = new Set<string>();
  const visit = (name: string) => {
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind !== 'import-statement' || imports.has(path)) continue;
      imports.add(path);
      visit(path);
    }
  };
  visit(file);
  return [...imports].map((path) => basename(path));
}

type Metafile = NonNullable<Bun.BuildOutput['metafile']>;

/** Returns the packages of a bundle, as folders such as `node_modules/react`. */
export function packagesIn({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap(
    (path) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort();
}
