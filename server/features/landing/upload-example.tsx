import { CopyButton } from '../../../islands/ui/copy-button.tsx';

/** The one line that uploads an image to this very instance, ready to be copied. */
export function UploadExample({ appUrl }: { appUrl: string }) {
  const lines = [
    `curl ${appUrl}/files/upload/image/$BUCKET_ID`,
    '-H "Authorization: Bearer $API_KEY"',
    '-F access=public -F file=@photo.jpg',
  ];
  return (
    <div className="flex items-start gap-2 bg-base-100 py-3 pr-2 pl-4">
      <pre className="min-w-0 grow py-1 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
        <code>{lines.join(' \\\n  ')}</code>
      </pre>
      <CopyButton text={lines.join(' ')} label="Copy the command" />
    </div>
  );
}
