/** Chooses the range, the grouping and the comparison of the overview. */
import { CheckField, SelectField, TextField } from '../../parts/field/field.tsx';
import { Toolbar } from '../../parts/page/page.tsx';
import { GROUPING_NAMES, GROUPINGS, type Grouping, type OverviewSearch, type Range, RANGES } from './view.ts';
import styles from './overview.module.css';

interface ControlsProps {
  search: OverviewSearch;
  onChange: (change: OverviewSearch) => void;
}

const RANGE_WORDS: Record<Range, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  custom: 'Custom',
};

export function Controls({ search, onChange }: ControlsProps) {
  const { range = '7d', by = 'model', compare, from = '', to = '' } = search;
  return (
    <Toolbar label="Range and grouping">
      <div role="group" aria-label="Range" className={styles['segments']}>
        {RANGES.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === range}
            className={styles['segment']}
            onClick={() =>
              onChange(
                name === 'custom'
                  ? { range: name, ...lastWeek(search) }
                  : { range: name, from: undefined, to: undefined },
              )
            }
          >
            {RANGE_WORDS[name]}
          </button>
        ))}
      </div>
      {range === 'custom' && (
        <>
          <TextField
            label="From (UTC)"
            type="date"
            value={from}
            max={to}
            onChange={(event) => onChange({ from: event.target.value })}
          />
          <TextField
            label="To (UTC)"
            type="date"
            value={to}
            min={from}
            onChange={(event) => onChange({ to: event.target.value })}
          />
        </>
      )}
      <SelectField
        label="Group by"
        value={by}
        options={GROUPING_NAMES.map((value) => ({ value, label: GROUPINGS[value] }))}
        onPick={(value) => onChange({ by: value as Grouping })}
      />
      <CheckField
        label="Compare with the range before"
        checked={compare !== undefined}
        onCheck={(checked) => onChange({ compare: checked ? 'previous' : undefined })}
      />
    </Toolbar>
  );
}

function lastWeek({ from, to }: OverviewSearch): OverviewSearch {
  const day = (offset: number) => new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
  return { from: from ?? day(6), to: to ?? day(0) };
}
