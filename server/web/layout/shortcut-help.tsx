import X from 'lucide-react/icons/x';
import { SHORTCUTS } from '../../contract/shortcuts.ts';

/** A drawer handles these itself. */
const IN_DRAWERS = { keys: 'j k', text: 'Next and previous, in details' };

/**
 * The dialog with the keyboard shortcuts and the switch that disables them.
 * islands/page/shortcuts.ts opens it.
 */
export function ShortcutHelp() {
  return (
    <dialog
      id="shortcuts"
      aria-labelledby="shortcuts-title"
      closedby="any"
      className="m-auto w-[calc(100vw-2rem)] max-w-sm rounded-lg border border-base-300 bg-base-200 p-5 text-sm text-base-content shadow-2xl"
    >
      <form method="dialog" className="flex items-center justify-between">
        <h2 id="shortcuts-title" className="text-base font-semibold">
          Keyboard shortcuts
        </h2>
        <button
          type="submit"
          className="btn btn-ghost btn-square btn-sm -mr-1.5"
          aria-label="Close"
        >
          <X size={16} aria-hidden />
        </button>
      </form>
      <dl className="mt-3">
        {[...Object.values(SHORTCUTS), IN_DRAWERS].map(({ keys, text }) => (
          <div key={keys} className="flex min-h-9 items-center justify-between gap-4">
            <dt>{text}</dt>
            <dd className="flex gap-1">
              {keys.split(' ').map((key) => (
                <kbd key={key} className="key">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className="mt-3 flex cursor-pointer items-center gap-2.5 border-t border-base-300 pt-4 max-sm:pb-1">
        <input
          type="checkbox"
          className="checkbox checkbox-sm checkbox-primary"
          data-shortcuts-switch
          defaultChecked
        />
        Use these keys in this browser
      </label>
    </dialog>
  );
}
