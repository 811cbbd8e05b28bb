import Download from 'lucide-react/icons/download';
import ExternalLink from 'lucide-react/icons/external-link';
import Link from 'lucide-react/icons/link';
import Trash from 'lucide-react/icons/trash-2';
import type { ComponentProps } from 'react';
import type { FileDetailWire } from '../../server/contract/wire.ts';
import { copyShared, downloadUrl, embedSnippet, shareUrl, viewUrl } from '../file-urls/shared.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Button } from '../ui/form/button.tsx';
import { Section } from './file-facts.tsx';

/**
 * What can be done with the file of the drawer. The buttons are the same before it is ready, so that none moves
 * then. A video has no Download, as it is stored in segments.
 */
export function DrawerActions({
  file,
  onDelete,
}: {
  file: FileDetailWire;
  onDelete: (file: FileDetailWire) => void;
}) {
  return (
    // On a phone, all of them are in one row without their icons.
    <div className="flex flex-wrap gap-2 max-sm:[&_svg]:hidden">
      <Button className="btn-sm" onClick={() => copyShared(file, shareUrl, async () => file.jwt)}>
        <Link size={16} aria-hidden />
        Copy URL
      </Button>
      <LinkButton href={viewUrl(file, file.jwt)} target="_blank" rel="noopener">
        <ExternalLink size={16} aria-hidden />
        Open
      </LinkButton>
      {file.file_type !== 'video' && (
        <LinkButton href={downloadUrl(file, file.jwt)} download>
          <Download size={16} aria-hidden />
          Download
        </LinkButton>
      )}
      <Button className="btn-sm text-error" onClick={() => onDelete(file)}>
        <Trash size={16} aria-hidden />
        Delete
      </Button>
    </div>
  );
}

/** A link that looks like a button, and is disabled while it leads nowhere. */
const LinkButton = ({
  href,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & { href: string | null }) => (
  <a
    role={href ? undefined : 'link'}
    className={`btn btn-sm ${href ? '' : 'btn-disabled'}`}
    href={href ?? undefined}
    aria-disabled={href === null || undefined}
    {...rest}
  />
);

/** The HTML that shows the file in a page; nothing until the file is ready. */
export function EmbedCode({ file }: { file: FileDetailWire }) {
  const html = embedSnippet(file, file.jwt);
  if (html === null) return null;
  const isPrivate = file.access === 'private';
  return (
    <Section
      title="Embed code"
      text={
        isPrivate
          ? 'The token in it expires. For a lasting embed, use a token from API Key.'
          : undefined
      }
    >
      <div className="flex items-start gap-2 rounded border border-base-300 bg-base-100 py-1 pr-1 pl-3">
        <pre className="min-w-0 grow py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
          <code>{isPrivate ? html.replace(file.jwt, '…') : html}</code>
        </pre>
        <CopyButton text={html} label="Copy the embed code" />
      </div>
    </Section>
  );
}
