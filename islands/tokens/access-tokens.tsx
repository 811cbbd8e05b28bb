import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { call } from '../runtime/api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { DayField } from '../ui/date/day-field.tsx';
import { expiryOf } from '../ui/date/expiry.ts';
import { Button } from '../ui/form/button.tsx';
import { TextField } from '../ui/form/field.tsx';
import { ScopeChoice } from '../ui/form/scope-choice.tsx';
import { Panel } from '../ui/panel.tsx';

type Scope = 'read' | 'write';

const SCOPES: { scope: Scope; label: string; text: string }[] = [
  {
    scope: 'read',
    label: 'Read',
    text: 'Can open the private files of this bucket.',
  },
  { scope: 'write', label: 'Write', text: 'Can upload to this bucket, including from a browser.' },
];

/** Creates an access token, for clients that should not have the API key. It is shown only once. */
export function AccessTokens({ bucketId }: { bucketId: string }) {
  const [day, setDay] = useState('');
  const [scope, setScope] = useState<Scope | null>('read');
  const [folder, setFolder] = useState('');
  const mint = useMutation({
    mutationFn: (newScope: Scope) =>
      mintToken(bucketId, expiryOf(day), newScope, newScope === 'read' ? prefixOf(folder) : null),
  });
  return (
    <Panel
      title="Access Tokens"
      text="Give limited access without sharing the API key. Tokens are shown only once, so copy yours now."
    >
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (scope) mint.mutate(scope);
        }}
      >
        <ScopeChoice options={SCOPES} value={scope} onValue={setScope} />
        {scope === 'read' && (
          <div className="sm:w-72">
            <TextField
              label="Folder (optional)"
              help="The token opens only files in this folder, such as photos/2026. Without one, it opens all."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={folder}
              onValue={setFolder}
            />
          </div>
        )}
        <div className="sm:w-72">
          <DayField
            label="Expiration date (optional)"
            help="The last day the token works, in your time zone. Without a date, it works until you regenerate the API key."
            onValue={setDay}
          />
        </div>
        <Button
          type="submit"
          className="btn-primary self-start"
          pending={mint.isPending}
          disabled={!scope}
        >
          Generate new token
        </Button>
        {/* The negative margin removes the form's gap while there is no token. */}
        <div role="status" className="empty:-mt-5">
          {mint.data && (
            <div className="flex items-start gap-1 rounded-md border border-base-300 bg-base-100 py-2 pr-1 pl-3">
              <code className="min-w-0 grow py-1.5 font-mono text-xs break-all">{mint.data}</code>
              <CopyButton text={mint.data} label="Copy token" copiedText={MESSAGES.copiedKey} />
            </div>
          )}
        </div>
      </form>
    </Panel>
  );
}

/** Returns the prefix of the paths in a folder as somebody types it; null for the whole bucket. */
function prefixOf(folder: string): string | null {
  const typed = folder.trim();
  return typed === '' || typed.endsWith('/') ? typed || null : `${typed}/`;
}

/** Creates a token. `expires` is in epoch seconds, or 0 for never; `prefix` is null for the whole bucket. */
const mintToken = async (bucketId: string, expires: number, scope: Scope, prefix: string | null) =>
  (
    await call('POST /buckets/jwt/:bucketID/:expires/:scope', {
      params: { bucketID: bucketId, expires, scope },
      ...(prefix !== null && { body: { prefix } }),
    })
  ).jwt;
