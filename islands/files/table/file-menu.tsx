import CodeXml from 'lucide-react/icons/code-xml';
import ExternalLink from 'lucide-react/icons/external-link';
import Link from 'lucide-react/icons/link';
import PanelRight from 'lucide-react/icons/panel-right';
import Trash from 'lucide-react/icons/trash-2';
import type { Ref } from 'react';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { copyText } from '../../page/copy.ts';
import { notify } from '../../runtime/notify.ts';
import { Menu, type MenuHandle, MenuItem } from '../../ui/menu/menu.tsx';
import { embedSnippet, shareUrl, viewUrl } from '../file-url.ts';

/** What a row asks the page for. */
export type FileActions = {
  onDetails: (file: FileWire) => void;
  onDelete: (file: FileWire) => void;
};

/**
 * What one can do with a file. `jwt` opens it where it is private; without `isStop` the Tab key
 * passes by.
 */
export function FileMenu({
  ref,
  file,
  jwt,
  isStop,
  onDetails,
  onDelete,
}: { ref?: Ref<MenuHandle>; file: FileWire; jwt: string; isStop: boolean } & FileActions) {
  const withText = (text: string | null, use: (text: string) => void) => {
    if (text === null) notify.error(MESSAGES.urlNotReady);
    else use(text);
  };
  const copy = async (text: string) => {
    const { copied, message } = await copyText(text);
    if (copied) notify.success(message);
    else notify.error(message);
  };
  const open = (url: string) => window.open(url, '_blank', 'noopener');
  return (
    <Menu ref={ref} label={`Actions for ${file.name}`} isStop={isStop}>
      <MenuItem onSelect={() => onDetails(file)}>
        <PanelRight size={16} aria-hidden />
        Details
      </MenuItem>
      <MenuItem onSelect={() => withText(viewUrl(file, jwt), open)}>
        <ExternalLink size={16} aria-hidden />
        Open
      </MenuItem>
      <MenuItem onSelect={() => withText(shareUrl(file, jwt), copy)}>
        <Link size={16} aria-hidden />
        Copy URL
      </MenuItem>
      {file.file_type === 'video' && (
        <MenuItem onSelect={() => withText(embedSnippet(file, jwt), copy)}>
          <CodeXml size={16} aria-hidden />
          Copy embed
        </MenuItem>
      )}
      <MenuItem danger onSelect={() => onDelete(file)}>
        <Trash size={16} aria-hidden />
        Delete
      </MenuItem>
    </Menu>
  );
}
