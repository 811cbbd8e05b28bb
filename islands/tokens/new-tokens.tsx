import { MESSAGES } from '../../server/contract/messages.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Button } from '../ui/form/button.tsx';

/** A token that was just created. Nothing shows it later. */
export type NewToken = { name: string; jwt: string };

/** The tokens that were created on this page, the newest first, until each is dismissed. */
export const NewTokens = ({
  tokens,
  onDone,
}: {
  tokens: NewToken[];
  onDone: (jwt: string) => void;
}) => (
  // The negative margin removes the form's gap while there is no token.
  <div role="status" className="flex flex-col gap-3 empty:-mt-5">
    {tokens.map(({ name, jwt }, at) => (
      <div key={jwt}>
        <div className="flex items-center justify-between gap-3">
          <p className="min-w-0 truncate font-medium" title={name}>
            {name}
          </p>
          <Button
            className="btn-sm btn-ghost"
            aria-label={`Done with ${name}`}
            onClick={() => onDone(jwt)}
          >
            Done
          </Button>
        </div>
        <div className="mt-1 flex items-start gap-1 rounded-md border border-base-300 bg-base-100 py-2 pr-1 pl-3">
          <code className="min-w-0 grow py-1.5 font-mono text-xs break-all">{jwt}</code>
          <CopyButton
            text={jwt}
            label={at === 0 ? 'Copy token' : `Copy earlier token ${name}`}
            copiedText={MESSAGES.copiedKey}
          />
        </div>
      </div>
    ))}
  </div>
);
