import ExternalLink from 'lucide-react/icons/external-link';
import Link from 'lucide-react/icons/link';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { copyText } from '../clipboard.ts';
import { notify } from '../notify.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { shareUrl } from './file-url.ts';

/** What one can do with a file. */
export function FileMenu({ file, jwt }: { file: FileWire; jwt: string }) {
  const withUrl = (use: (url: string) => void) => {
    const url = shareUrl(file, jwt);
    if (url === null) notify.error(MESSAGES.urlNotReady);
    else use(url);
  };
  const copy = async (url: string) => {
    const { copied, message } = await copyText(url);
    if (copied) notify.success(message);
    else notify.error(message);
  };
  return (
    <Menu label={`Actions for ${file.name}`}>
      <MenuItem onSelect={() => withUrl(copy)}>
        <Link size={16} aria-hidden />
        Copy URL
      </MenuItem>
      <MenuItem onSelect={() => withUrl((url) => window.open(url, '_blank', 'noopener'))}>
        <ExternalLink size={16} aria-hidden />
        Open
      </MenuItem>
    </Menu>
  );
}
