import LayoutGrid from 'lucide-react/icons/layout-grid';
import { ViewToggles } from './view-toggles.tsx';

/** Switches between the list of all files, the folders and the trash, and between rows and a grid. */
export const FoldersToggle = ({
  isOn,
  isGrid,
  onFolder,
  onGrid,
}: {
  isOn: boolean;
  isGrid: boolean;
  onFolder: (folder: string | null) => void;
  onGrid: (isGrid: boolean) => void;
}) => (
  <div className="flex gap-2 md:ml-auto">
    <ViewToggles value={isOn ? 'folders' : undefined} onFolder={onFolder} />
    <button
      type="button"
      aria-label="Grid view"
      title="Grid view"
      aria-pressed={isGrid}
      className="btn btn-square h-9 w-9 border-edge bg-base-200 aria-pressed:border-primary aria-pressed:text-primary max-sm:h-10 max-sm:w-10"
      onClick={() => onGrid(!isGrid)}
    >
      <LayoutGrid size={16} aria-hidden />
    </button>
  </div>
);
