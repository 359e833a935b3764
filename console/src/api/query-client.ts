/** Creates the cache of what the pages have read. Calls that may succeed later are repeated until they do. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { asProblem } from './problem.ts';
import { followSession } from './session.ts';

const LONGEST_WAIT_MS = 10_000;

/** The interval at which a page reads changing records again. Hidden pages do not read. */
export const LIVE_MS = 5_000;

export function createQueryClient(): QueryClient {
  const onError = (error: Error): void => followSession(queries, error);
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError,
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
