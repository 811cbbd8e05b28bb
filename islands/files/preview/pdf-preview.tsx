import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import {
  MAX_PDF_BYTES,
  PDF_FRAME,
  PDF_PAGE_TIMEOUT_MS,
  type PdfFailure,
  parsePdfMessage,
} from '../../../server/contract/files/pdf-preview.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { withToken } from '../../file-urls/shared.ts';
import { Spinner } from '../../ui/states.tsx';
import { NoPreview } from './frame.tsx';
import { LoadPrompt } from './load-prompt.tsx';
import { loadPdf } from './pdf-file.ts';

const FAILURES: Record<PdfFailure, string> = {
  locked: 'This PDF is protected by a password. Download it to open it.',
  damaged: 'This PDF can’t be read. It may be damaged.',
  slow: 'This PDF takes too long to show. Download it to open it.',
};

/** The pages of a PDF, which is loaded when the user asks for it, as each load counts as bandwidth. */
export function PdfPreview({ file, url }: { file: FileDetailWire; url: string }) {
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<PdfFailure | null>(null);
  const bytes = useQuery({
    queryKey: ['pdf', file.id],
    enabled: isOpen,
    queryFn: ({ signal }) => loadPdf(withToken(url, file.access, file.jwt), signal),
    staleTime: 'static',
    // It is kept in memory no longer than it is shown.
    gcTime: 0,
    retry: false,
  });
  if (file.size > MAX_PDF_BYTES) {
    return <NoPreview>PDFs of more than {formatBytes(MAX_PDF_BYTES)} have no preview.</NoPreview>;
  }
  if (!isOpen) {
    return <LoadPrompt label="Show the PDF" bytes={file.size} onLoad={() => setOpen(true)} />;
  }
  if (bytes.isError) return <NoPreview>The file could not be loaded.</NoPreview>;
  if (failure !== null) return <NoPreview>{FAILURES[failure]}</NoPreview>;
  return <PdfFrame name={file.name} bytes={bytes.data} onFailure={setFailure} />;
}

/**
 * The sandboxed frame that draws a PDF. It has no origin, so a PDF that takes pdf.js over reaches nothing of ours. What
 * it says is limited to a few words, and it is removed where it doesn't draw a page in time.
 */
function PdfFrame({
  name,
  bytes,
  onFailure,
}: {
  name: string;
  bytes: ArrayBuffer | undefined;
  onFailure: (failure: PdfFailure) => void;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const [isShown, setShown] = useState(false);
  const onMessage = useEffectEvent(({ source, data }: MessageEvent) => {
    const message = source === frame.current?.contentWindow ? parsePdfMessage(data) : null;
    if (message?.type === 'ready') setReady(true);
    if (message?.type === 'shown') setShown(true);
    if (message?.type === 'failed') onFailure(message.reason);
    if (message?.type === 'escape') frame.current?.closest('dialog')?.requestClose();
  });
  useEffect(() => {
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  useEffect(() => {
    // The frame has no origin that could be named here. It gets nothing but the file that it shows.
    if (isReady && bytes) frame.current?.contentWindow?.postMessage(bytes, '*');
  }, [isReady, bytes]);
  const onSlow = useEffectEvent(() => onFailure('slow'));
  useEffect(() => {
    if (isShown || !bytes) return;
    const timer = setTimeout(() => onSlow(), PDF_PAGE_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [isShown, bytes]);
  return (
    <div className="relative aspect-3/4 max-h-[70dvh] w-full overflow-hidden rounded-md border border-base-300 bg-base-300">
      <iframe
        ref={(element) => {
          frame.current = element;
          if (document.activeElement === document.body) element?.focus();
        }}
        src={PDF_FRAME}
        sandbox="allow-scripts"
        title={`Pages of ${name}`}
        // A frame of another colour scheme than its page would not be transparent.
        className="size-full scheme-light"
      />
      {isShown || (
        <div className="absolute inset-0 grid place-items-center bg-base-100">
          <Spinner />
        </div>
      )}
    </div>
  );
}
