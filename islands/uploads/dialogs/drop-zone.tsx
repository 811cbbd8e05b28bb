import Upload from 'lucide-react/icons/upload';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** The whole page takes files that are dropped on it, and says so while they are above it. */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const curtain = useRef<HTMLDivElement>(null);
  const take = useEffectEvent(onFiles);

  useEffect(() => {
    const page = new AbortController();
    const { signal } = page;
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files');
    // Without this the browser would leave the page to open what is dropped.
    const show = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      take([...(event.dataTransfer?.files ?? [])]);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    window.addEventListener('dragenter', show, { signal });
    window.addEventListener('dragover', show, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => page.abort();
  }, []);

  // A popover stands above an open dialog, too.
  useEffect(() => {
    if (isOver) curtain.current?.showPopover();
    else curtain.current?.hidePopover();
  }, [isOver]);

  return (
    <div
      ref={curtain}
      popover="manual"
      className="pointer-events-none fixed inset-0 m-0 size-full max-h-none max-w-none border-0 bg-base-100/80 p-4 text-base-content"
    >
      <p className="grid size-full place-items-center rounded-lg border-2 p-4 text-balance border-dashed border-primary text-base font-semibold">
        <span className="flex items-center gap-2 rounded-lg border border-edge bg-base-200 px-5 py-4">
          <Upload size={16} aria-hidden />
          Drop images or videos to upload them
        </span>
      </p>
    </div>
  );
}
