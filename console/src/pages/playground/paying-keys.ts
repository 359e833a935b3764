/** Lists the keys with which a session may chat. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { callTo } from '../../api/call.ts';
import { mayManage, useSession } from '../../api/session.ts';

export interface PayingKey {
  hash: string;
  name: string;
  /** The masked key. It tells keys of the same name apart. */
  label?: string;
}

interface PayingKeys {
  keys: readonly PayingKey[] | undefined;
  error: Error | null;
  /** Reads more keys, if there are more. */
  more?: (() => void) | undefined;
}

/** The API lists this many keys at a time. */
const PAGE_SIZE = 100;

/** Returns the session's own key, or the usable regular keys of all workspaces if it has a management key. */
export function usePayingKeys(): PayingKeys {
  const session = useSession();
  const isManager = mayManage(session);
  const { data, error, failureReason, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['keys', 'paying'],
    enabled: isManager,
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ signal, pageParam: before_id }) =>
      (await callTo('GET', '/keys', { query: { workspace_id: 'all', before_id } }).send(signal)).data,
    getNextPageParam: (page) => (page.length === PAGE_SIZE ? page.at(-1)?.id : undefined),
  });
  if (!isManager) return { keys: [{ hash: session.key.hash, name: session.key.label }], error: null };
  return {
    keys: data?.pages.flat(),
    error: error ?? failureReason,
    more: hasNextPage ? () => void fetchNextPage() : undefined,
  };
}
