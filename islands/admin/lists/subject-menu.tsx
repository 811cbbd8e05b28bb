import Ban from 'lucide-react/icons/ban';
import PanelRight from 'lucide-react/icons/panel-right';
import Trash from 'lucide-react/icons/trash-2';
import { MenuItem } from '../../ui/menu/menu.tsx';

/** What can be done to a bucket or a user, in the menu of its row. */
export function SubjectMenu({
  isBanned,
  canAct = true,
  onDetails,
  onBan,
  onDelete,
}: {
  isBanned: boolean;
  /** Whether more can be done than to look at it. */
  canAct?: boolean;
  onDetails: () => void;
  onBan: () => void;
  onDelete: () => void;
}) {
  return (
    <>
      <MenuItem onSelect={onDetails}>
        <PanelRight size={16} aria-hidden />
        Details
      </MenuItem>
      {canAct && (
        <>
          <MenuItem onSelect={onBan}>
            <Ban size={16} aria-hidden />
            {isBanned ? 'Unban' : 'Ban'}
          </MenuItem>
          <MenuItem danger onSelect={onDelete}>
            <Trash size={16} aria-hidden />
            Delete
          </MenuItem>
        </>
      )}
    </>
  );
}
