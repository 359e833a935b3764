/** Suggests models and keys to filter by. They come from the catalog and the list of keys, never from generations. */
import { callTo } from '../../api/call.ts';
import { mayManage, useSession } from '../../api/session.ts';
import { useCall } from '../../api/use-call.ts';
import { Suggested } from '../../parts/field/field.tsx';

export const SUGGESTED_MODELS = 'suggested-models';
export const SUGGESTED_KEYS = 'suggested-keys';

const OPTIONS = { staleTime: 300_000 };

export function Suggestions() {
  const models = useCall(callTo('GET', '/models', { query: { output_modalities: 'all' } }), OPTIONS);
  const query = { workspace_id: 'all', include_disabled: true, include_expired: true } as const;
  const enabled = mayManage(useSession());
  const keys = useCall(callTo('GET', '/keys', { query }), { ...OPTIONS, enabled });
  const named = keys.data?.data.map(({ hash, name, label }) => ({ id: hash, name: `${name} (${label})` }));
  return (
    <>
      <Suggested id={SUGGESTED_MODELS} values={models.data?.data ?? []} />
      <Suggested id={SUGGESTED_KEYS} values={named ?? []} />
    </>
  );
}
