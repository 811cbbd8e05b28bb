import { Toggles } from '../../ui/menu/choice.tsx';

const OPTIONS = { folders: 'Folders' };

/** Switches between the list of all files and the folders. */
export const FoldersToggle = ({
  isOn,
  onFolder,
}: {
  isOn: boolean;
  onFolder: (folder: string | null) => void;
}) => (
  <Toggles
    label="View"
    options={OPTIONS}
    value={isOn ? 'folders' : undefined}
    onValue={(value) => onFolder(value ? '' : null)}
  />
);
