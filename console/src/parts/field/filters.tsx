/** Chooses what a list shows. The filters stand in the URL; a change begins the list again. */
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Toolbar } from '../page/page.tsx';
import { ProviderField, WorkspaceField } from './choice-fields.tsx';
import { type Option, SelectField } from './field.tsx';
import { LazyTextField, MomentField } from './lazy-fields.tsx';

/** One filter: its name in the URL, its label, and what it takes. */
export interface Filter<Name extends string = string> {
  name: Name;
  label: string;
  type?: 'text' | 'search' | 'number' | 'moment' | 'provider' | 'workspace';
  /** The choices, the first of which is no choice. */
  options?: readonly Option[];
  /** The id of the list of suggestions. */
  list?: string;
}

interface FiltersProps<Name extends string> {
  label?: string;
  filters: readonly Filter<Name>[];
  search: Partial<Record<Name, string>>;
  /** Further controls. */
  children?: ReactNode;
}

export function Filters<Name extends string>(props: FiltersProps<Name>) {
  const { label = 'Filters', filters, search, children } = props;
  const change = useFilterChange();
  return (
    <Toolbar label={label}>
      {filters.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={search[filter.name]}
          onSet={(value) => change({ [filter.name]: value || undefined })}
        />
      ))}
      {children}
    </Toolbar>
  );
}

/** Returns a function that changes filters of the URL, and leads to the first page. */
export function useFilterChange(): (change: Record<string, string | undefined>) => void {
  const navigate = useNavigate();
  const first = { offset: undefined, cursor: undefined };
  return (change) => void navigate({ to: '.', search: (last) => ({ ...last, ...first, ...change }) });
}

interface FilterFieldProps {
  filter: Filter;
  value: string | undefined;
  onSet: (value: string | undefined) => void;
}

function FilterField({ filter: { label, type, options, list }, value, onSet }: FilterFieldProps) {
  if (options) return <SelectField label={label} value={value ?? ''} options={options} onPick={onSet} />;
  if (type === 'provider') return <ProviderField value={value} onPick={onSet} />;
  if (type === 'workspace') return <WorkspaceField none={label} value={value} onPick={onSet} />;
  if (type === 'moment') return <MomentField label={label} value={value} onSet={onSet} />;
  return (
    <LazyTextField label={label} type={type} list={list} min={0} step="any" value={value} onSet={onSet} />
  );
}
