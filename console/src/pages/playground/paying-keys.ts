/** Lists the keys with which a session may chat. */
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import { mayManage, useSession } from '../../api/session.ts';

export interface PayingKey {
  hash: string;
  name: string;
}

/** Returns the session's own key, or the usable regular keys if the session has a management key. */
export function usePayingKeys(): { keys: readonly PayingKey[] | undefined; error: Error | null } {
  const session = useSession();
  const isManager = mayManage(session);
  const { data, error } = useQuery({
    queryKey: ['keys', 'paying'],
    enabled: isManager,
    queryFn: async ({ signal }) =>
      (await read(api.GET('/keys', { params: { query: { include_disabled: false } }, signal }))).data,
  });
  return { keys: isManager ? data : [{ hash: session.key.hash, name: session.key.label }], error };
}
