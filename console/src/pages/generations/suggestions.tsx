/** Suggests models and keys to filter by. They come from the catalog and the list of keys, never from generations. */
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import { mayManage, useSession } from '../../api/session.ts';

export const SUGGESTED_MODELS = 'suggested-models';
export const SUGGESTED_KEYS = 'suggested-keys';

const FRESH_MS = 300_000;

export function Suggestions() {
  const { data: models = [] } = useQuery({
    queryKey: ['models', 'all'],
    staleTime: FRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { output_modalities: 'all' };
      return (await read(api.GET('/models', { params: { query }, signal }))).data;
    },
  });
  const { data: keys = [] } = useQuery({
    queryKey: ['keys', 'all'],
    staleTime: FRESH_MS,
    enabled: mayManage(useSession()),
    queryFn: async ({ signal }) => {
      const query = { workspace_id: 'all', include_disabled: true, include_expired: true } as const;
      return (await read(api.GET('/keys', { params: { query }, signal }))).data;
    },
  });
  return (
    <>
      <datalist id={SUGGESTED_MODELS}>
        {models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <datalist id={SUGGESTED_KEYS}>
        {keys.map(({ hash, name, label }) => (
          <option key={hash} value={hash}>
            {`${name} (${label})`}
          </option>
        ))}
      </datalist>
    </>
  );
}
