import { PageHead } from '../ui/page-head.tsx';
import { AccessTokens } from './access-tokens.tsx';
import { KeyTable } from './key-table.tsx';

/** What programs need to use a bucket: its id, its key, and tokens for those who get less. */
export default function ApiKeyIsland({
  bucketId,
  firstKey,
}: {
  bucketId: string;
  firstKey: string;
}) {
  return (
    <>
      <PageHead title="API Keys" text="Credentials for the API." />
      <div className="mt-6 flex flex-col gap-4">
        <KeyTable bucketId={bucketId} firstKey={firstKey} />
        <AccessTokens bucketId={bucketId} />
      </div>
    </>
  );
}
