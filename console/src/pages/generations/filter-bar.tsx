/** Chooses which generations are listed. A filter applies when its field is left, or by Enter. */
import { useState } from 'react';
import { mayManage, useSession } from '../../api/session.ts';
import { Button } from '../../parts/button/button.tsx';
import { optionsOf, SelectField } from '../../parts/field/field.tsx';
import { LazyTextField } from '../../parts/field/lazy-text-field.tsx';
import { MomentField } from '../../parts/field/moment-field.tsx';
import { ProviderField, WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { Toolbar } from '../../parts/page/page.tsx';
import { SUGGESTED_KEYS, SUGGESTED_MODELS, Suggestions } from './suggestions.tsx';
import { FILTERS, type Filter, type GenerationFilters } from './filters.ts';
import styles from './generations.module.css';

interface FilterBarProps {
  filters: GenerationFilters;
  onChange: (change: GenerationFilters) => void;
}

const STATUSES = optionsOf(['completed', 'failed', 'cancelled', 'expired']);
const TYPES = optionsOf(['completions', 'embeddings', 'rerank', 'image', 'tts', 'video']);

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const [showsMore, setShowsMore] = useState(MORE.some(({ name }) => filters[name] !== undefined));
  const set = (name: Filter, value: string | undefined) => onChange({ [name]: value || undefined });
  const isFiltered = FILTERS.some((name) => filters[name] !== undefined);
  const isManager = mayManage(useSession());
  const field = ({ name, label, type, list }: FieldFacts) => {
    const common = { label, value: filters[name], onSet: (value?: string) => set(name, value) };
    if (type === 'moment') return <MomentField key={name} {...common} />;
    return <LazyTextField key={name} {...common} type={type} list={list} min={0} step="any" />;
  };
  return (
    <div className={styles['filters']}>
      <Toolbar label="Filters">
        <Suggestions />
        {field({ name: 'model', label: 'Model', list: SUGGESTED_MODELS })}
        <ProviderField value={filters.provider} onPick={(slug) => onChange({ provider: slug })} />
        {field({ name: 'api_key_hash', label: 'Key (hash)', list: SUGGESTED_KEYS })}
        {isManager && (
          <WorkspaceField
            none="All workspaces"
            value={filters.workspace_id}
            onPick={(id) => onChange({ workspace_id: id })}
          />
        )}
        <SelectField
          label="Status"
          value={filters.status ?? ''}
          options={STATUSES}
          onPick={(value) => set('status', value)}
        />
        <SelectField
          label="Type"
          value={filters.api_type ?? ''}
          options={TYPES}
          onPick={(value) => set('api_type', value)}
        />
        <Button look="quiet" aria-expanded={showsMore} onClick={() => setShowsMore(!showsMore)}>
          {showsMore ? 'Fewer filters' : 'More filters'}
        </Button>
        {isFiltered && (
          <Button
            look="quiet"
            onClick={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
          >
            Clear
          </Button>
        )}
      </Toolbar>
      {showsMore && <Toolbar label="More filters">{MORE.map(field)}</Toolbar>}
    </div>
  );
}

interface FieldFacts {
  name: Filter;
  label: string;
  type?: 'number' | 'moment';
  /** The id of the list of suggestions. */
  list?: string;
}

const MORE: readonly FieldFacts[] = [
  { name: 'start', label: 'From', type: 'moment' },
  { name: 'end', label: 'Before', type: 'moment' },
  { name: 'user_id', label: 'Creator of the key' },
  { name: 'external_user', label: 'End user' },
  { name: 'session_id', label: 'Session' },
  { name: 'min_cost', label: 'At least, in $', type: 'number' },
  { name: 'max_cost', label: 'At most, in $', type: 'number' },
];
