import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { call } from '../runtime/api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { DayField } from '../ui/date/day-field.tsx';
import { Button } from '../ui/form/button.tsx';
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

const MS = 1_000;

/** Creates an access token, for clients that should not have the API key. It is shown only once. */
export function AccessTokens({ bucketId }: { bucketId: string }) {
  const [day, setDay] = useState('');
  const [scope, setScope] = useState<Scope | null>('read');
  const mint = useMutation({
    mutationFn: (newScope: Scope) => mintToken(bucketId, expiryOf(day), newScope),
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
        <fieldset>
          <legend className="mb-1.5 font-medium">Scope</legend>
          <div className="grid gap-2 sm:grid-cols-2">
            {SCOPES.map((one) => (
              <button
                key={one.scope}
                type="button"
                aria-pressed={scope === one.scope}
                className="flex cursor-pointer flex-col rounded-md border border-edge px-3 py-2 text-left hover:border-quiet active:bg-base-300 aria-pressed:border-primary"
                onClick={() => setScope(scope === one.scope ? null : one.scope)}
              >
                <span className={scope === one.scope ? 'font-medium text-primary' : 'font-medium'}>
                  {one.label}
                </span>
                <span className="mt-0.5 block text-pretty text-quiet">{one.text}</span>
              </button>
            ))}
          </div>
        </fieldset>
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

/**
 * Returns when a token expires, in epoch seconds: the last second of a day in the user's time zone, or
 * zero for never if no day was chosen.
 * @param day 'yyyy-MM-dd' or empty
 */
export function expiryOf(day: string): number {
  if (day === '') return 0;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Math.floor(new Date(year, month - 1, date + 1).getTime() / MS) - 1;
}

/** Creates a token. `expires` is in epoch seconds, or 0 for never. */
const mintToken = async (bucketId: string, expires: number, scope: Scope) =>
  (
    await call('POST /buckets/jwt/:bucketID/:expires/:scope', {
      params: { bucketID: bucketId, expires, scope },
    })
  ).jwt;
