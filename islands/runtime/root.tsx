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

const FRESH_MS = 5_000;

/** One per browser page, shared by its islands; on the server one per island. */
export function makeQueryClient() {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // What the server refused once it will refuse again.
        retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
      },
    },
    mutationCache: new MutationCache({
      onSuccess: () => {
        document.dispatchEvent(new Event(CHANGED_EVENT));
      },
    }),
  });
  // Its own onError comes before the island knows of it. Who reads what is said may act at once, so it
  // waits for its turn after the island.
  client.getMutationCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error') return;
    const { error } = event.action;
    if (!event.mutation.meta?.isQuiet) notifyManager.schedule(() => notify.failure(error));
  });
  return client;
}

/** What is rendered for an island, on both sides alike. The browser says into which element. */
export const islandTree = (
  client: QueryClient,
  Component: ComponentType<object>,
  props: object,
  place: HTMLElement | null = null,
) => (
  <StrictMode>
    <QueryClientProvider client={client}>
      <Alive place={place}>
        <Component {...props} />
      </Alive>
    </QueryClientProvider>
  </StrictMode>
);

/** Tells when the island answers, and gives it what was typed and pressed before. */
function Alive({ place, children }: { place: HTMLElement | null; children: ReactNode }) {
  const restore = useRef<() => void>(null);
  useLayoutEffect(() => {
    if (place && place.dataset.live === undefined) restore.current ??= preserveFieldValues(place);
  }, [place]);
  useEffect(() => {
    if (!place) return;
    // React must be done with what it is at before it can take what comes.
    const timer = setTimeout(() => {
      if (place.dataset.live !== undefined) return;
      restore.current?.();
      place.dataset.live = '';
      place.dispatchEvent(new Event(HYDRATED_EVENT, { bubbles: true }));
    });
    return () => clearTimeout(timer);
  }, [place]);
  return children;
}
