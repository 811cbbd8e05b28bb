import type { ReactNode } from 'react';
import { inLines, uploadCommand } from '../../server/contract/files/upload-command.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import { CopyButton } from '../ui/copy-button.tsx';

/** What a bucket without files shows: the way from the first file to the first upload by a program. */
export function FirstSteps({ appUrl, bucketId }: { appUrl: string; bucketId: string }) {
  return (
    <div className="card border-dashed border-edge px-6 py-10">
      <p className="text-center font-medium">{MESSAGES.noFiles}</p>
      <ol className="mx-auto mt-6 flex max-w-2xl flex-col gap-6">
        <Step number={1} title="Upload a file">
          Drop files on this page, or choose them with Upload above.
        </Step>
        <Step number={2} title="Copy your API key">
          Your apps upload with it. Find it on the page{' '}
          <a href={`/dashboard/api-key/${bucketId}`} className="link">
            API Key
          </a>
          , where you can also create tokens that may only upload or only read.
        </Step>
        <Step number={3} title="Upload from your code">
          Run this command with the key in <code className="font-mono text-xs">API_KEY</code>:
          <CurlExample appUrl={appUrl} bucketId={bucketId} />
        </Step>
      </ol>
    </div>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden
        className="numbers grid size-7 shrink-0 place-items-center rounded-full border border-edge font-medium"
      >
        {number}
      </span>
      <div className="min-w-0 grow">
        <h2 className="leading-7 font-medium">{title}</h2>
        <div className="mt-0.5 text-pretty text-quiet">{children}</div>
      </div>
    </li>
  );
}

/** The command that uploads an image to this bucket. */
function CurlExample({ appUrl, bucketId }: { appUrl: string; bucketId: string }) {
  const lines = uploadCommand(appUrl, bucketId);
  return (
    <div className="mt-2 flex items-start gap-2 rounded border border-base-300 bg-base-100 py-2 pr-2 pl-3">
      <pre className="min-w-0 grow py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere text-base-content">
        <code>{inLines(lines)}</code>
      </pre>
      <CopyButton text={lines.join(' ')} label="Copy the command" />
    </div>
  );
}
