import { type ReactNode, useId } from 'react';
import { formatBytes } from '../../server/contract/units.ts';
import type { FileDetailWire, FileType, RenditionWire } from '../../server/contract/wire.ts';
import { expiryOf, withToken } from '../file-urls/shared.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Time } from '../ui/date/time.tsx';
import { Code, Fact, Facts } from '../ui/dialog/drawer.tsx';
import { FileStatusCell } from './file-cells.tsx';
import { ACCESS, TYPES } from './file-filters.tsx';

/** The properties of a file, without those that are unknown. */
export function FileFacts({ file }: { file: FileDetailWire }) {
  const { width, height, duration, attempts } = file;
  return (
    <Facts>
      <Fact name="Status">
        <FileStatusCell file={file} />
      </Fact>
      {attempts !== null && attempts > 1 && (
        <Fact name="Attempts">
          <span className="numbers">{attempts}</span>
        </Fact>
      )}
      <Fact name="File type">{TYPES[file.file_type]}</Fact>
      <Fact name="Access control">{ACCESS[file.access]}</Fact>
      <Fact name="Size">
        <span className="numbers">{formatBytes(file.size)}</span>
      </Fact>
      <Fact name="Bandwidth">
        <span className="numbers *:whitespace-nowrap">
          <span>{formatBytes(file.bandwidth.month)} this month,</span>{' '}
          <span>{formatBytes(file.bandwidth.total)} in total</span>
        </span>
      </Fact>
      {width !== null && height !== null && (
        <Fact name="Dimensions">
          <span className="numbers">
            {width} × {height}
          </span>
        </Fact>
      )}
      {duration !== null && (
        <Fact name="Duration">
          <span className="numbers">{clockTime(duration)}</span>
        </Fact>
      )}
      {file.replaces_path && (
        <Fact name="Replaces">
          <span className="wrap-anywhere">{file.replaces_path}</span>{' '}
          <span className="text-quiet">once it is processed</span>
        </Fact>
      )}
      <Fact name="Created at">
        <Time iso={file.date} withTime />
      </Fact>
      <Fact name="ID">
        <Code text={file.id} label="Copy the ID" />
      </Fact>
      {file.sha256 && (
        <Fact name="SHA-256">
          <Code text={file.sha256} label="Copy the SHA-256" />
        </Fact>
      )}
      {file.warning && <Fact name="Warning">{file.warning}</Fact>}
      {file.webp_skipped && !file.warning && (
        <Fact name="WebP">
          Not converted: the original is smaller, or too large to convert on this server.
        </Fact>
      )}
    </Facts>
  );
}

/** Formats milliseconds as '0:08' or '1:02:03'. */
export function clockTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const start = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${start}:${two(seconds % 60)}`;
}

const NAMES: Record<string, string> = {
  audio: 'Audio',
  previews: 'Timeline previews',
  poster: 'Poster',
  playlists: 'Playlists',
  delivered: 'Optimised',
  original: 'Original',
};
const nameOf = (name: string) =>
  NAMES[name] ?? name.replace(/^audio-/, 'Audio ').replace('x', ' × ');

/** The stored variants of a file with their sizes. */
export function FileRenditions({ renditions }: { renditions: RenditionWire[] }) {
  const totalBytes = renditions.reduce((sum, { bytes }) => sum + bytes, 0);
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
            <td className="numbers text-right">{formatBytes(totalBytes)}</td>
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

const MAIN_URLS: Record<FileType, string> = {
  image: 'Image',
  video: 'All sizes (HLS)',
  audio: 'File',
  file: 'File',
};

/** The URL of each variant. The URLs of a private file are copied with a token. */
export function FileUrls({ file }: { file: FileDetailWire }) {
  const main = MAIN_URLS[file.file_type];
  const urls = new Map<string | null, string>([
    [file.url, main],
    [file.path_url, 'Path (always the current file)'],
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
          ? [
              'Copied with a token for this file only, which works until ',
              <Time key="time" iso={expiryOf(file.jwt).toISOString()} withTime />,
              '.',
            ]
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

/** A part of the drawer with a heading. */
export function Section({
  title,
  text,
  children,
}: {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}) {
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
