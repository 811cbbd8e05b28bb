import { CopyButton } from '../../ui/copy-button.tsx';

/**
 * The command that uploads an image to this bucket, ready to be copied. The key is not in it: it
 * would stand in the history of a shell.
 */
export function CurlExample({ appUrl, bucketId }: { appUrl: string; bucketId: string }) {
  const lines = [
    `curl ${appUrl}/files/upload/image/${bucketId}`,
    '-H "Authorization: Bearer $WHARF_KEY"',
    '-F access=public -F file=@photo.jpg',
  ];
  return (
    <div className="w-full max-w-2xl text-left">
      <p className="mb-2 text-quiet">
        Or by this command, with the{' '}
        <a href={`/dashboard/api-key/${bucketId}`} className="link">
          API key
        </a>{' '}
        in <code className="font-mono text-xs">WHARF_KEY</code>:
      </p>
      <div className="flex items-start gap-2 rounded border border-base-300 bg-base-100 py-2 pr-2 pl-3">
        <pre className="min-w-0 grow py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
          <code>{lines.join(' \\\n  ')}</code>
        </pre>
        <CopyButton text={lines.join(' ')} label="Copy the command" />
      </div>
    </div>
  );
}
