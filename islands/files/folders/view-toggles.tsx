import { useSearchParams } from 'wouter';
import { Toggles } from '../../ui/menu/choice.tsx';

const OPTIONS = { folders: 'Folders', trash: 'Trash' };

/** Switches between the list of all files, the folders and the trash. */
export function ViewToggles({
  value,
  onFolder,
}: {
  /** What is shown; undefined for the list of all files. */
  value: keyof typeof OPTIONS | undefined;
  /** Shows a folder; null shows the list of all files. */
  onFolder: (folder: string | null) => void;
}) {
  const [, setParams] = useSearchParams();
  return (
    <Toggles
      label="View"
      options={OPTIONS}
      value={value}
      onValue={(next) => {
        if (next === 'trash') setParams({ trash: '1' });
        else onFolder(next ? '' : null);
      }}
    />
  );
}
