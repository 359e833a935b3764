/** Creates the cache of what the pages have read. Calls that may succeed later are repeated until they do. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { asProblem } from './problem.ts';

const LONGEST_WAIT_MS = 10_000;

/** The interval at which a page reads changing records again. Hidden pages do not read. */
export const LIVE_MS = 5_000;

export function createQueryClient(onSessionEnd: () => void): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError(error, query) {
        if (asProblem(error).status === 401 && query.queryKey[0] !== 'session') onSessionEnd();
      },
    }),
    mutationCache: new MutationCache({
      // An action may change what any page shows. Only what is visible is read again at once.
      onSettled() {
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      },
    }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 2_000,
        retry: (_count, error) => asProblem(error).isTemporary,
        retryDelay: (count, error) =>
          Math.min(asProblem(error).retryAfterMs ?? 1_000 * 2 ** count, LONGEST_WAIT_MS),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return queries;
}
