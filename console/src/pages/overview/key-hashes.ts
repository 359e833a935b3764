/** Finds the hashes of keys by their numeric ids: analytics name a key by its id, lists filter by its hash. */
import { useQuery } from '@tanstack/react-query';
import { callTo } from '../../api/call.ts';

/** Keys keep their hash, so that only new and deleted ones make a difference. */
const FRESH_MS = 60_000;

/** Returns the hashes of those keys that exist. */
export function useKeyHashes(ids: readonly number[]) {
  const newestFirst = ids.toSorted((a, b) => b - a);
  return useQuery({
    queryKey: ['keys', 'hashes', newestFirst],
    enabled: ids.length > 0,
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => findHashes(newestFirst, signal),
  });
}

/** Reads the pages that have a key. A page begins at the newest key that no page before had. */
async function findHashes(newestFirst: readonly number[], signal: AbortSignal): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  let sought = newestFirst;
  while (sought.length > 0) {
    const query = {
      workspace_id: 'all',
      include_disabled: true,
      include_expired: true,
      before_id: sought[0]! + 1,
    };
    const { data } = await callTo('GET', '/keys', { query }).send(signal);
    for (const { id, hash } of data) found.set(id, hash);
    const oldest = data.at(-1)?.id ?? 0;
    sought = sought.filter((id) => id < oldest);
  }
  return found;
}
