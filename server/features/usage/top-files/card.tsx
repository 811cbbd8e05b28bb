import { formatBytes, formatCount } from '../../../contract/units.ts';
import type { TopFilesWire } from '../../../contract/wire.ts';

/** The files of a bucket that were requested most this month. Each links to its details. */
export function TopFilesCard({ bucketId, files }: { bucketId: string } & TopFilesWire) {
  const hasEstimates = files.some((file) => file.is_estimate);
  return (
    <section aria-labelledby="top-files" className="card mt-3 p-4">
      <h2 id="top-files" className="font-semibold">
        Top files this month
      </h2>
      {files.length === 0 ? (
        <p className="mt-2 text-quiet">The most requested files appear here within a minute.</p>
      ) : (
        <table className="mt-2 w-full table-fixed">
          <thead>
            <tr className="text-xs text-quiet">
              <th scope="col" className="py-1 text-left font-normal">
                File
              </th>
              <th scope="col" className="w-24 py-1 text-right font-normal sm:w-32">
                Requests
              </th>
              <th scope="col" className="w-24 py-1 text-right font-normal sm:w-32">
                Bandwidth
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-base-300">
            {files.map((file) => (
              <TopFile key={file.id} bucketId={bucketId} file={file} />
            ))}
          </tbody>
        </table>
      )}
      {hasEstimates && (
        <p className="mt-2 text-xs text-quiet">
          Numbers with a + are estimates: more files were requested than are counted one by one, so
          there may have been more.
        </p>
      )}
    </section>
  );
}

function TopFile({ bucketId, file }: { bucketId: string; file: TopFilesWire['files'][number] }) {
  const more = file.is_estimate ? '+' : '';
  return (
    <tr>
      <th scope="row" className="py-2 text-left font-normal">
        <a
          href={`/dashboard/files/${bucketId}?file=${file.id}`}
          title={file.name}
          className="block truncate hover:underline"
        >
          {file.name}
        </a>
      </th>
      <td className="numbers py-2 text-right">
        {formatCount(file.requests)}
        {more}
      </td>
      <td className="numbers py-2 text-right">
        {formatBytes(file.bytes)}
        {more}
      </td>
    </tr>
  );
}
