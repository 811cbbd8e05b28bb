import type { RecentFile } from '../../server/contract/home/summary.ts';
import { FileThumb } from '../files/shared.ts';
import { Time } from '../ui/date/time.tsx';

/** The newest files of all buckets with their pictures; where there are none, where to upload them. */
export function RecentFiles({
  files,
  newestBucketId,
}: {
  files: RecentFile[];
  newestBucketId: string | undefined;
}) {
  if (files.length === 0) {
    // Without a bucket, the empty list of buckets says what to do.
    return newestBucketId && <NoFiles bucketId={newestBucketId} />;
  }
  return (
    <section aria-labelledby="recent-files" className="mt-6">
      <h2 id="recent-files" className="text-base font-semibold">
        Recent files
      </h2>
      <ul className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        {files.map((file) => (
          <RecentCard key={file.id} file={file} />
        ))}
      </ul>
    </section>
  );
}

function RecentCard({ file }: { file: RecentFile }) {
  return (
    <li className="card relative flex min-w-0 flex-col overflow-hidden hover:border-quiet max-sm:nth-[n+5]:hidden">
      <span className="block h-28">
        <FileThumb bucketId={file.bucket_id} file={file} isLarge />
      </span>
      <span className="flex flex-col gap-0.5 border-t border-base-300 px-3 py-2">
        <a
          href={`/dashboard/files/${file.bucket_id}?file=${file.id}`}
          title={file.name}
          className="block truncate font-medium after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-primary"
        >
          {file.name}
        </a>
        <span className="flex justify-between gap-2 text-xs text-quiet">
          <span className="truncate">{file.bucket_name}</span>
          {file.status === 'success' ? (
            <span className="shrink-0 sm:max-xl:hidden">
              <Time iso={file.date} />
            </span>
          ) : (
            <Unfinished {...file} />
          )}
        </span>
      </span>
    </li>
  );
}

const Unfinished = ({ status }: Pick<RecentFile, 'status'>) =>
  status === 'error' ? (
    <span className="shrink-0 text-error">Failed</span>
  ) : (
    <span className="shrink-0">Processing</span>
  );

function NoFiles({ bucketId }: { bucketId: string }) {
  return (
    <div className="card mt-3 flex flex-wrap items-center justify-between gap-3 border-dashed border-edge p-4">
      <p className="text-quiet">Your newest files will appear here.</p>
      <a href={`/dashboard/files/${bucketId}`} className="btn btn-sm">
        Upload files
      </a>
    </div>
  );
}
