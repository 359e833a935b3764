/** Chooses which generations are listed. A filter applies when its field is left, or by Enter. */
import { useState } from 'react';
import { callTo, useCall } from '../../api/call.ts';
import { mayManage, useSession } from '../../api/session.ts';
import { Button } from '../../parts/button/button.tsx';
import { optionsOf, Suggested } from '../../parts/field/field.tsx';
import { type Filter, Filters, useFilterChange } from '../../parts/field/filters.tsx';
import { FILTERS, type FilterName, type GenerationFilters } from './filters.ts';
import styles from './generations.module.css';

const SUGGESTED_MODELS = 'suggested-models';
const SUGGESTED_KEYS = 'suggested-keys';

const STATUSES = ['completed', 'failed', 'cancelled', 'expired'];
const TYPES = ['completions', 'embeddings', 'rerank', 'image', 'tts', 'video'];

const MAIN: readonly Filter<FilterName>[] = [
  { name: 'model', label: 'Model', list: SUGGESTED_MODELS },
  { name: 'provider', label: 'Provider', type: 'provider' },
  { name: 'api_key_hash', label: 'Key (hash)', list: SUGGESTED_KEYS },
  { name: 'workspace_id', label: 'All workspaces', type: 'workspace' },
  { name: 'status', label: 'Status', options: optionsOf(STATUSES) },
  { name: 'api_type', label: 'Type', options: optionsOf(TYPES) },
];

const MORE: readonly Filter<FilterName>[] = [
  { name: 'start', label: 'From', type: 'moment' },
  { name: 'end', label: 'Before', type: 'moment' },
  { name: 'user_id', label: 'Creator of the key' },
  { name: 'external_user', label: 'End user' },
  { name: 'session_id', label: 'Session' },
  { name: 'min_cost', label: 'At least, in $', type: 'number' },
  { name: 'max_cost', label: 'At most, in $', type: 'number' },
];

export function FilterBar({ filters }: { filters: GenerationFilters }) {
  const [showsMore, setShowsMore] = useState(MORE.some(({ name }) => filters[name] !== undefined));
  const change = useFilterChange();
  const isFiltered = FILTERS.some((name) => filters[name] !== undefined);
  const isManager = mayManage(useSession());
  const main = MAIN.filter(({ type }) => isManager || type !== 'workspace');
  return (
    <div className={`stack ${styles['filters']}`}>
      <Suggestions />
      <Filters filters={main} search={filters}>
        <Button look="quiet" aria-expanded={showsMore} onClick={() => setShowsMore(!showsMore)}>
          {showsMore ? 'Fewer filters' : 'More filters'}
        </Button>
        {isFiltered && (
          <Button
            look="quiet"
            onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
          >
            Clear
          </Button>
        )}
      </Filters>
      {showsMore && <Filters label="More filters" filters={MORE} search={filters} />}
    </div>
  );
}

const OPTIONS = { staleTime: 300_000 };

/** Suggests models and keys. They come from the catalog and the list of keys, never from generations. */
function Suggestions() {
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
