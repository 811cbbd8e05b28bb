import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';

/**
 * Copies `text`, and says `said` or the usual words. It is markup only: islands/page/copy.ts does the work on every page, so it also
 * stands where no React is loaded.
 */
export function CopyButton({ text, label, said }: { text: string; label: string; said?: string }) {
  return (
    <button
      type="button"
      className="group btn btn-ghost btn-square btn-sm"
      data-copy={text}
      data-copy-said={said}
      aria-label={label}
    >
      <Copy size={16} aria-hidden className="group-data-copied:hidden" />
      <Check size={16} aria-hidden className="hidden text-success group-data-copied:block" />
      <span role="status" className="sr-only" />
    </button>
  );
}
