import { MAX_API_KEYS } from '../../server/contract/limits.ts';
import type { ApiKeyWire, KeyScope } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { KeyPanel } from '../ui/keys/key-panel.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

const SCOPES: Record<KeyScope, string> = {
  read: 'Read',
  write: 'Write',
  'read-write': 'Read and write',
};

/** The API keys of a bucket with their last use, and buttons to create and delete those beside the primary one. */
export const NamedKeys = ({ bucketId, first }: { bucketId: string; first: ApiKeyWire[] }) => (
  <KeyPanel
    kind="API key"
    title="Keys for your apps"
    text="Give each app its own key, with only the access it needs. You can delete one without changing the others."
    queryKey={['api-keys', bucketId]}
    first={first}
    list={() => listKeys(bucketId)}
    remove={(id) => deleteKey(bucketId, id)}
    // The primary key is listed with them.
    max={MAX_API_KEYS + 1}
    toItem={({ scope, is_primary, ...key }) => ({
      ...key,
      scope: SCOPES[scope],
      isFixed: is_primary,
    })}
    warning="and all access tokens and links to private files that were created with it stop working immediately. This can’t be undone."
    dialog={(props) => <CreateKeyDialog bucketId={bucketId} {...props} />}
  />
);

const listKeys = async (bucketId: string) =>
  (await call('GET /buckets/api-keys/:bucketID', { params: { bucketID: bucketId } })).data;

const deleteKey = (bucketId: string, keyId: string) =>
  call('DELETE /buckets/api-keys/:bucketID/:keyID', {
    params: { bucketID: bucketId, keyID: keyId },
  });
