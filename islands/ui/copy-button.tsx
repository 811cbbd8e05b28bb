import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { copyFrom } from '../page/copy.ts';

/**
 * A button that copies `text`, and announces `copiedText` or the usual message. It is only markup, as
 * islands/page/copy.ts handles the click on every page. So it also works on pages without React. A
 * text that is not on the page yet is loaded by `load` on the click.
 */
export function CopyButton({
  text,
  label,
  copiedText,
  load,
}: {
  text: string | null;
  label: string;
  copiedText?: string;
  load?: () => Promise<string>;
}) {
  return (
    <button
      type="button"
      className="group btn btn-ghost btn-square btn-sm"
      data-copy={text ?? undefined}
      onClick={({ currentTarget }) => {
        if (text === null && load) void copyFrom(currentTarget, load());
      }}
      data-copy-said={copiedText}
      aria-label={label}
    >
      <Copy size={16} aria-hidden className="group-data-copied:hidden" />
      <Check size={16} aria-hidden className="hidden text-success group-data-copied:block" />
      <span role="status" className="sr-only" />
    </button>
  );
}
