import Search from 'lucide-react/icons/search';
import { SHORTCUTS } from '../../contract/shortcuts.ts';

/**
 * The search of the guide and the reference. islands/docs shows below it what was found; without scripts
 * there is nothing to search with, so it is hidden.
 */
export function SearchField() {
  return (
    <search className="relative block shrink-0" data-docs-search-box>
      <label className="input w-full">
        <Search size={16} aria-hidden className="text-quiet" />
        <input
          type="search"
          aria-label="Search the documentation"
          placeholder="Search"
          autoComplete="off"
          data-docs-search
          data-shortcut={SHORTCUTS.search.keys}
        />
        <kbd className="key pointer-coarse:hidden">{SHORTCUTS.search.keys}</kbd>
      </label>
      <p role="status" className="sr-only" data-docs-found />
      <nav
        aria-label="Search results"
        hidden
        data-docs-results
        className="mt-2 max-h-80 overflow-y-auto rounded-lg border border-base-300 bg-base-200 p-1 lg:max-h-[50dvh]"
      />
    </search>
  );
}
