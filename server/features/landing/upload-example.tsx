import { CopyButton } from '../../../islands/ui/copy-button.tsx';

/** The one line that uploads an image to this very instance, ready to be copied. */
export function UploadExample({ appUrl }: { appUrl: string }) {
  const lines = [
    `curl ${appUrl}/files/upload/image/$BUCKET_ID`,
    '-H "Authorization: Bearer $API_KEY"',
    '-F access=public -F webp=yes',
    '-F file=@photo.jpg',
  ];
  return (
    <figure className="card min-w-0">
      <figcaption className="flex items-center justify-between gap-4 border-b border-base-300 py-2 pr-2 pl-4 text-sm">
        <span>
          Upload an image <span className="text-quiet">and have it made smaller as WebP</span>
        </span>
        <CopyButton text={lines.join(' ')} label="Copy the command" />
      </figcaption>
      <pre className="p-4 font-mono text-xs leading-6 sm:text-sm sm:leading-6 whitespace-pre-wrap wrap-anywhere">
        <code>{lines.join(' \\\n  ')}</code>
      </pre>
      <p className="border-t border-base-300 px-4 py-3 text-sm text-quiet">
        The answer is the file, with its id at once and its URL as soon as it is made.
      </p>
    </figure>
  );
}
