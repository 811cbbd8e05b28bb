import { type ReactNode, useId } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileDetailWire, RenditionWire } from '../../../server/contract/wire.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { withToken } from '../file-url.ts';

const NAMES: Record<string, string> = {
  audio: 'Audio',
  previews: 'Timeline previews',
  poster: 'Poster',
  playlists: 'Playlists',
  delivered: 'Optimised',
  original: 'Original',
};
const nameOf = (name: string) => NAMES[name] ?? name.replace('x', ' × ');

/** What is stored, and how much of it. */
export function FileRenditions({ renditions }: { renditions: RenditionWire[] }) {
  const whole = renditions.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <Section title="Stored">
      <table className="w-full text-left">
        <thead className="sr-only">
          <tr>
            <th>Rendition</th>
            <th>Size</th>
          </tr>
        </thead>
        <tbody>
          {renditions.map(({ name, bytes }) => (
            <tr key={name} className="*:border-t *:border-base-300 *:py-1.5">
              <td className="numbers">{nameOf(name)}</td>
              <td className="numbers text-right">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-medium *:border-t *:border-base-300 *:py-1.5">
            <td>Total</td>
            <td className="numbers text-right">{formatBytes(whole)}</td>
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

/** The URL of each variant. Those of a private file are copied with a token. */
export function FileUrls({ file }: { file: FileDetailWire }) {
  const main = file.file_type === 'video' ? 'All sizes (HLS)' : 'Image';
  const urls = new Map<string | null, string>([
    [file.url, main],
    [file.embed, 'Player page'],
    [file.poster, 'Poster'],
    [file.previews, 'Timeline previews'],
    ...(file.renditions ?? [])
      .filter(({ url }) => ![file.url, file.poster, file.previews].includes(url))
      .map(({ url, name }) => [url, nameOf(name)] as const),
  ]);
  urls.delete(null);
  return (
    <Section
      title="URLs"
      text={
        file.access === 'private'
          ? 'Copied with a token that is valid for this file for one hour.'
          : undefined
      }
    >
      <ul>
        {[...urls].map(([url, name]) => (
          <li key={url} className="flex items-center gap-2 border-t border-base-300 py-1">
            <div className="min-w-0 grow">
              <span className="numbers block">{name}</span>
              <span className="block truncate font-mono text-xs text-quiet" title={url ?? ''}>
                {url}
              </span>
            </div>
            <CopyButton
              text={withToken(url ?? '', file.access, file.jwt)}
              label={`Copy the URL: ${name}`}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Section({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-2 font-medium">
        {title}
      </h3>
      {text && <p className="-mt-1 mb-2 text-xs text-quiet">{text}</p>}
      {children}
    </section>
  );
}
