import { formatBytes } from '../../../server/contract/units.ts';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Code, Fact, Facts } from '../../ui/facts.tsx';
import { ACCESS, TYPES } from '../filters/file-filters.tsx';
import { FileStatusCell } from '../table/file-cells.tsx';

/** What is known of a file, one line each; what is not known is left out. */
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
        <span className="numbers">
          {formatBytes(file.bandwidth.month)} this month, {formatBytes(file.bandwidth.total)} in
          total
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
      {file.kept_original && (
        <Fact name="WebP">Not converted: the original is smaller than its WebP version.</Fact>
      )}
    </Facts>
  );
}

/** '0:08', '1:02:03' of milliseconds. */
export function clockTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const start = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${start}:${two(seconds % 60)}`;
}
