import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { withToken } from '../../file-urls/shared.ts';
import { Spinner } from '../../ui/states.tsx';
import { frame, NoPreview } from './frame.tsx';
import { LoadPrompt } from './load-prompt.tsx';
import { loadText, MAX_TEXT_BYTES } from './text-file.ts';

/** The beginning of a text, which is loaded when the user asks for it, as each load counts as bandwidth. */
export function TextPreview({ file, url }: { file: FileDetailWire; url: string }) {
  const [isOpen, setOpen] = useState(false);
  const text = useQuery({
    queryKey: ['text', file.id],
    enabled: isOpen,
    queryFn: ({ signal }) => loadText(withToken(url, file.access, file.jwt), signal),
    staleTime: 'static',
    retry: false,
  });
  if (file.size === 0) return <NoPreview>This file is empty.</NoPreview>;
  if (!isOpen) {
    return (
      <LoadPrompt
        label="Show the text"
        bytes={Math.min(file.size, MAX_TEXT_BYTES)}
        isPart={file.size > MAX_TEXT_BYTES}
        onLoad={() => setOpen(true)}
      />
    );
  }
  if (text.isError) return <NoPreview>The file could not be loaded.</NoPreview>;
  if (text.data === undefined) {
    return (
      <div className={`grid place-items-center ${frame}`}>
        <Spinner />
      </div>
    );
  }
  if (text.data === null) return <NoPreview>This file has no preview.</NoPreview>;
  return (
    <section
      ref={(element) => {
        if (document.activeElement === document.body) element?.focus();
      }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
      tabIndex={0}
      aria-label={`Text of ${file.name}`}
      className={`overflow-auto p-3 ${frame}`}
    >
      <pre className="font-mono text-xs leading-5">{text.data}</pre>
      {file.size > MAX_TEXT_BYTES && (
        <p className="mt-3 text-xs text-quiet">
          This is the first {formatBytes(MAX_TEXT_BYTES)} of {formatBytes(file.size)}.
        </p>
      )}
    </section>
  );
}
