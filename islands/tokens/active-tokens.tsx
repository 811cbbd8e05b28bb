import type { AccessTokenWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { KeyList, type KeyListWords } from '../ui/keys/key-list.tsx';
import { Panel } from '../ui/panel.tsx';

const WORDS: KeyListWords = {
  verb: 'Revoke',
  title: 'Revoke access token',
  act: 'Revoke token',
  done: 'Access token revoked.',
};
const SCOPES = { read: 'Read', write: 'Write' };

/** The cache key of the access tokens of a bucket. */
export const accessTokensKey = (bucketId: string) => ['access-tokens', bucketId];

/** The access tokens of a bucket that have a name, with buttons to revoke each. */
export const ActiveTokens = ({
  bucketId,
  first,
}: {
  bucketId: string;
  first: AccessTokenWire[];
}) => (
  <Panel
    title="Active tokens"
    text="Revoke one without changing the others. Tokens that your apps create without a name aren’t listed."
  >
    <KeyList
      words={WORDS}
      queryKey={accessTokensKey(bucketId)}
      first={first}
      list={() => listTokens(bucketId)}
      remove={(id) => revokeToken(bucketId, id)}
      toItem={({ scope, file_id, prefix, date, ...token }) => ({
        ...token,
        created: date,
        scope: SCOPES[scope],
        ...((prefix ?? file_id) && { opens: prefix ?? `File ${file_id}` }),
      })}
      warning="stops working immediately, also in links that contain it. This can’t be undone."
      empty="No active tokens. Those that you generate are listed here."
    />
  </Panel>
);

const listTokens = async (bucketId: string) =>
  (await call('GET /buckets/tokens/:bucketID', { params: { bucketID: bucketId } })).data;

const revokeToken = (bucketId: string, tokenId: string) =>
  call('DELETE /buckets/tokens/:bucketID/:tokenID', {
    params: { bucketID: bucketId, tokenID: tokenId },
  });
