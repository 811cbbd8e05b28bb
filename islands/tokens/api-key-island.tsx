import { useMutation, useQueryClient } from '@tanstack/react-query';
import Eye from 'lucide-react/icons/eye';
import EyeOff from 'lucide-react/icons/eye-off';
import { type ReactNode, useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { AccessTokenWire, ApiKeyWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { ConfirmDialog } from '../ui/dialog/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { useRevealed } from '../ui/secret.tsx';
import { AccessTokens } from './access-tokens.tsx';
import { ActiveTokens, accessTokensKey } from './active-tokens.tsx';
import { NamedKeys } from './named-keys.tsx';

const DOTS = '•'.repeat(24);
const cell = 'px-6 py-2 max-sm:block';

/** What a program needs to use a bucket: its id, and an API key or an access token. */
export default function ApiKeyIsland({
  bucketId,
  keys,
  tokens,
}: {
  bucketId: string;
  keys: ApiKeyWire[];
  tokens: AccessTokenWire[];
}) {
  return (
    <>
      <PageHead title="API Keys" text="Credentials for the API." />
      <div className="panels">
        <KeyTable bucketId={bucketId} />
        <NamedKeys bucketId={bucketId} first={keys} />
        <AccessTokens bucketId={bucketId} />
        <ActiveTokens bucketId={bucketId} first={tokens} />
      </div>
    </>
  );
}

/**
 * The bucket's masked API key, and its id. The key is loaded when it is shown or copied, which may ask
 * for the password. The columns have fixed widths, so that nothing moves while
 * the HTML is still arriving.
 */
function KeyTable({ bucketId }: { bucketId: string }) {
  const [key, setKey] = useState<string | null>(null);
  const { revealed, toggle } = useRevealed();
  const load = useMutation({ mutationFn: () => getKey(bucketId), onSuccess: setKey });
  const Icon = revealed ? EyeOff : Eye;
  return (
    <table className="card w-full border-separate sm:table-fixed border-spacing-0 text-left max-sm:block">
      {/* The heads, which are not visible, would otherwise share the width evenly. */}
      <colgroup className="max-sm:hidden">
        <col className="w-60 xl:w-80" />
        <col />
        <col className="w-52" />
      </colgroup>
      <thead className="sr-only">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        <Row
          name="API key"
          text="Can upload, list and delete files, and create access tokens. Keep it on your servers."
          value={revealed && key ? key : DOTS}
        >
          <button
            type="button"
            className="btn btn-ghost btn-square btn-sm"
            aria-label={revealed ? 'Hide API key' : 'Show API key'}
            onClick={() => (key ? toggle() : load.mutate(undefined, { onSuccess: toggle }))}
          >
            <Icon size={16} aria-hidden />
          </button>
          <CopyButton
            text={key}
            load={() => load.mutateAsync()}
            label="Copy API key"
            copiedText={MESSAGES.copiedKey}
          />
          <RollKey bucketId={bucketId} onKey={setKey} />
        </Row>
        <Row name="Bucket ID" text="Part of every URL in this bucket." value={bucketId}>
          <CopyButton text={bucketId} label="Copy bucket ID" copiedText={MESSAGES.copiedKey} />
        </Row>
      </tbody>
    </table>
  );
}

function Row({
  name,
  text,
  value,
  children,
}: {
  name: string;
  text: string;
  value: string;
  children: ReactNode;
}) {
  return (
    <tr className="max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:border-base-300 max-sm:py-2 max-sm:not-first:border-t sm:not-first:*:border-t sm:*:border-base-300">
      <th scope="row" className={`${cell} w-60 py-3 align-top xl:w-80 font-medium max-sm:w-full`}>
        {name}
        <span className="mt-0.5 block font-normal text-quiet">{text}</span>
      </th>
      <td
        className={`${cell} font-mono text-xs text-balance break-all max-sm:grow max-sm:pr-2 sm:px-0`}
      >
        {value}
      </td>
      <td className={`${cell} max-sm:ml-auto max-sm:pr-4 max-sm:pl-2 sm:w-52`}>
        <div className="flex items-center justify-end gap-1">{children}</div>
      </td>
    </tr>
  );
}

/** Regenerates the API key after a confirmation, because everything that uses the old key stops. */
function RollKey({ bucketId, onKey }: { bucketId: string; onKey: (key: string) => void }) {
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const client = useQueryClient();
  const roll = useMutation({
    mutationFn: () => rollKey(bucketId),
    onSuccess: (key) => {
      onKey(key);
      close();
      notify.success('API key regenerated.');
      return client.invalidateQueries({ queryKey: accessTokensKey(bucketId) });
    },
  });
  return (
    <>
      <Button className="btn-sm" onClick={() => setAsking(true)}>
        Regenerate
      </Button>
      <ConfirmDialog
        open={asking}
        title="Regenerate API key"
        text="The current key, all access tokens of this bucket and links to private files stop working immediately. Update your apps with the new key."
        act="Regenerate"
        isPending={roll.isPending}
        onConfirm={() => roll.mutate()}
        onClose={close}
      />
    </>
  );
}

const getKey = async (bucketId: string) =>
  (await call('GET /buckets/api-key/:bucketID', { params: { bucketID: bucketId } })).api_key;

const rollKey = async (bucketId: string) =>
  (await call('PUT /buckets/roll/api-key/:bucketID', { params: { bucketID: bucketId } })).api_key;
