/** Chooses the range, the grouping and the comparison of the overview. */
import { oneOf } from '../../search.ts';
import { Segments, SelectField, TextField } from '../../parts/field/field.tsx';
import { Toolbar } from '../../parts/page/page.tsx';
import { GROUPINGS, type OverviewSearch, RANGES } from './view.ts';

const COMPARISON_OPTIONS = [
  { value: '', label: 'Nothing' },
  { value: 'previous', label: 'The range before' },
  { value: 'custom', label: 'Another range' },
];

interface ControlsProps {
  search: OverviewSearch;
  onChange: (change: OverviewSearch) => void;
}

export function Controls({ search, onChange }: ControlsProps) {
  const { range = '7d', by = 'model', from, to } = search;
  return (
    <Toolbar label="Range and grouping">
      <Segments
        label="Range"
        options={RANGES}
        value={range}
        onPick={(name) =>
          onChange(
            name === 'custom'
              ? { range: name, ...lastWeek(search) }
              : { range: name, from: undefined, to: undefined },
          )
        }
      />
      {range === 'custom' && (
        <Days from={from} to={to} onChange={(days) => onChange({ from: days.from, to: days.to })} />
      )}
      <Segments label="Group by" options={GROUPINGS} value={by} onPick={(value) => onChange({ by: value })} />
      <Comparing search={search} onChange={onChange} />
    </Toolbar>
  );
}

/** Chooses what the range is compared with. */
function Comparing({ search, onChange }: ControlsProps) {
  const { compare, compare_from: from, compare_to: to } = search;
  const none = { compare_from: undefined, compare_to: undefined };
  return (
    <>
      <SelectField
        label="Compare with"
        value={compare ?? ''}
        options={COMPARISON_OPTIONS}
        onPick={(value) =>
          onChange(
            value === 'custom'
              ? { compare: value, compare_from: from ?? daysAgo(13), compare_to: to ?? daysAgo(7) }
              : { compare: oneOf(value, ['previous']), ...none },
          )
        }
      />
      {compare === 'custom' && (
        <Days
          of="of the other range"
          from={from}
          to={to}
          onChange={(days) => onChange({ compare_from: days.from, compare_to: days.to })}
        />
      )}
    </>
  );
}

interface DaysProps {
  /** Names the range, if there is another. */
  of?: string;
  from?: string;
  to?: string;
  onChange: (days: { from?: string; to?: string }) => void;
}

/** Chooses the first and the last day of a range. */
function Days({ of = '', from = '', to = '', onChange }: DaysProps) {
  const day = (name: 'from' | 'to', label: string, bounds: { min?: string; max?: string }) => (
    <TextField
      label={`${label} ${of} (UTC)`.replace('  ', ' ')}
      type="date"
      value={name === 'from' ? from : to}
      {...bounds}
      onText={(text) => onChange({ from, to, [name]: text })}
    />
  );
  return (
    <>
      {day('from', 'First day', { max: to })}
      {day('to', 'Last day', { min: from })}
    </>
  );
}

const daysAgo = (count: number): string =>
  new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);

function lastWeek({ from, to }: OverviewSearch): OverviewSearch {
  return { from: from ?? daysAgo(6), to: to ?? daysAgo(0) };
}
