import {
  MutationCache,
  notifyManager,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import {
  type ComponentType,
  type ReactNode,
  StrictMode,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { ApiError } from './api-error.ts';
import { notify } from './notify.ts';
import { CHANGED_EVENT, HYDRATED_EVENT } from './page-events.ts';
import { preserveFieldValues } from './preserve-field-values.ts';

const STALE_TIME_MS = 5_000;

/** Creates a query client. A page has one for all of its islands, the server one for each island. */
export function makeQueryClient() {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_TIME_MS,
        // A request that the server has refused will be refused again.
        retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
      },
    },
    mutationCache: new MutationCache({
      onSuccess: () => {
        document.dispatchEvent(new Event(CHANGED_EVENT));
      },
    }),
  });
  // The cache's onError would run before the island has rendered the error. Scheduling the toast
  // shows it afterwards, so that a user who reacts to it finds an island that is ready.
  client.getMutationCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    // What is tried now says itself whether it fails.
    if (event.action.type === 'pending') notify.dismissErrors();
    if (event.action.type !== 'error') return;
    const { error } = event.action;
    if (!event.mutation.meta?.isQuiet) notifyManager.schedule(() => notify.failure(error));
  });
  return client;
}

/** Returns the tree of an island, the same on the server and in the browser, where `island` is its element. */
export const islandTree = (
  client: QueryClient,
  Component: ComponentType<object>,
  props: object,
  island: HTMLElement | null = null,
) => (
  <StrictMode>
    <QueryClientProvider client={client}>
      <HydrationMarker island={island}>
        <Component {...props} />
      </HydrationMarker>
    </QueryClientProvider>
  </StrictMode>
);

/** Restores what was typed before hydration, then reports that the island handles events. */
function HydrationMarker({
  island,
  children,
}: {
  island: HTMLElement | null;
  children: ReactNode;
}) {
  const restore = useRef<() => void>(null);
  useLayoutEffect(() => {
    if (island && island.dataset.live === undefined)
      restore.current ??= preserveFieldValues(island);
  }, [island]);
  useEffect(() => {
    if (!island) return;
    // The timer lets React finish its current work before it gets the restored events.
    const timer = setTimeout(() => {
      if (island.dataset.live !== undefined) return;
      restore.current?.();
      island.dataset.live = '';
      island.dispatchEvent(new Event(HYDRATED_EVENT, { bubbles: true }));
    });
    return () => clearTimeout(timer);
  }, [island]);
  return children;
}
