import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { BucketPreviews, HomeSummary } from '../../server/contract/home/summary.ts';
import type { BucketWire, Page } from '../../server/contract/wire.ts';
import { BucketList } from '../buckets/shared.ts';
import { call } from '../runtime/api.ts';
import { useFileRefresh } from '../runtime/use-file-refresh.ts';
import { PageRouter } from '../ui/page-router.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Figures } from './figures.tsx';
import { RecentFiles } from './recent-files.tsx';

type Props = {
  /** The path and the query of the page's URL, for rendering on the server. */
  path: string;
  search: string;
  /** The first page of the buckets that match the URL, and the newest files of some of them. */
  first: Page<BucketWire>;
  previews: BucketPreviews;
  /** Null where it could not be loaded. */
  summary: HomeSummary | null;
};

/** How the account is doing, its newest files, and its buckets. */
export default function HomeIsland({ path, search, summary, ...list }: Props) {
  return (
    <PageRouter path={path} search={search}>
      <BucketList search={search} {...list}>
        <Summary summary={summary} newestBucketId={list.first.data[0]?.id} />
      </BucketList>
    </PageRouter>
  );
}

const SUMMARY_KEY = ['summary'];
/** What a changed file changes on the page. */
const CHANGING_KEYS = [SUMMARY_KEY, ['buckets'], ['bucket-preview']];

function Summary({
  summary: first,
  newestBucketId,
}: {
  summary: HomeSummary | null;
  newestBucketId: string | undefined;
}) {
  const client = useQueryClient();
  const { data: summary, refetch } = useQuery<HomeSummary>({
    queryKey: SUMMARY_KEY,
    queryFn: () => call('GET /users/summary'),
    enabled: first !== null,
    ...(first && { initialData: first }),
  });
  useFileRefresh(null, {
    refresh() {
      const refetchType = document.hidden ? 'none' : 'active';
      for (const queryKey of CHANGING_KEYS) {
        void client.invalidateQueries({ queryKey, refetchType });
      }
    },
  });
  if (!summary) {
    return (
      <div className="mt-6">
        <ErrorState
          tried="Your account’s figures could not be loaded."
          onRetry={() => void refetch()}
        />
      </div>
    );
  }
  return (
    <>
      <Figures summary={summary} />
      <RecentFiles files={summary.recent} newestBucketId={newestBucketId} />
    </>
  );
}
