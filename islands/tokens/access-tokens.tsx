import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BUCKET_NAME_MAX } from '../../server/contract/limits.ts';
import { call } from '../runtime/api.ts';
import { DayField } from '../ui/date/day-field.tsx';
import { expiryOf } from '../ui/date/expiry.ts';
import { Button } from '../ui/form/button.tsx';
import { TextField } from '../ui/form/field.tsx';
import { ScopeChoice } from '../ui/form/scope-choice.tsx';
import { Panel } from '../ui/panel.tsx';
import { accessTokensKey } from './active-tokens.tsx';
import { type NewToken, NewTokens } from './new-tokens.tsx';

type Scope = 'read' | 'write';

const SCOPES: { scope: Scope; label: string; text: string }[] = [
  {
    scope: 'read',
    label: 'Read',
    text: 'Can open the private files of this bucket.',
  },
  { scope: 'write', label: 'Write', text: 'Can upload to this bucket, including from a browser.' },
];

/** The name of a token for which none was entered. It has no scope in it, as that is listed beside it. */
const UNNAMED = 'Access token';

/**
 * Creates access tokens, for clients that should not have the API key. Each is shown until it is dismissed, and never
 * again, so another one doesn't replace it.
 */
export function AccessTokens({ bucketId }: { bucketId: string }) {
  const [name, setName] = useState('');
  const [day, setDay] = useState('');
  const [scope, setScope] = useState<Scope | null>('read');
  const [folder, setFolder] = useState('');
  const [tokens, setTokens] = useState<NewToken[]>([]);
  const client = useQueryClient();
  const mint = useMutation({
    mutationFn: (newScope: Scope) => {
      const prefix = newScope === 'read' ? prefixOf(folder) : null;
      return createToken(bucketId, {
        name: name.trim() || UNNAMED,
        scope: newScope,
        expires: expiryOf(day),
        prefix,
      });
    },
    onSuccess: (token) => {
      setTokens((others) => [token, ...others]);
      setName('');
      return client.invalidateQueries({ queryKey: accessTokensKey(bucketId) });
    },
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
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField
            label="Name (optional)"
            help="What uses the token, such as Gallery. Only you see it."
            autoComplete="off"
            maxLength={BUCKET_NAME_MAX}
            value={name}
            onValue={setName}
          />
          <DayField
            label="Expiration date (optional)"
            help="The last day the token works, in your time zone. Without a date, it works until you revoke it or regenerate the API key."
            onValue={setDay}
          />
          {scope === 'read' && (
            <TextField
              label="Folder (optional)"
              help="The token opens only files in this folder, such as photos/2026. Without one, it opens all."
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={folder}
              onValue={setFolder}
            />
          )}
        </div>
        <Button
          type="submit"
          className="btn-primary self-start"
          pending={mint.isPending}
          disabled={!scope}
        >
          Generate new token
        </Button>
        <NewTokens
          tokens={tokens}
          onDone={(jwt) => setTokens((all) => all.filter((token) => token.jwt !== jwt))}
        />
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
async function createToken(
  bucketId: string,
  { name, scope, expires, prefix }: NewTokenForm,
): Promise<NewToken> {
  const { jwt } = await call('POST /buckets/jwt/:bucketID/:expires/:scope', {
    params: { bucketID: bucketId, expires, scope },
    body: { name, ...(prefix !== null && { prefix }) },
  });
  return { name, jwt };
}

type NewTokenForm = { name: string; scope: Scope; expires: number; prefix: string | null };
