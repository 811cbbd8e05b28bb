import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, StrictMode } from 'react';
import { ApiFailure } from './failure.ts';
import { notify } from './notify.ts';
import { CHANGED } from './page/changed.ts';

const FRESH_MS = 5_000;

/** One per browser page, shared by its islands; on the server one per island. */
export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // What the server refused once it will refuse again.
        retry: (count, error) => count < 2 && !(error instanceof ApiFailure && error.status < 500),
      },
    },
    mutationCache: new MutationCache({
      onError: (error) => notify.failure(error),
      onSuccess: () => {
        document.dispatchEvent(new Event(CHANGED));
      },
    }),
  });

/** What is rendered for an island, on both sides alike. */
export const islandTree = (
  client: QueryClient,
  Component: ComponentType<object>,
  props: object,
) => (
  <StrictMode>
    <QueryClientProvider client={client}>
      <Component {...props} />
    </QueryClientProvider>
  </StrictMode>
);
