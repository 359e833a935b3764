/** Chooses which deliveries are listed. */
import { LazyTextField } from '../../parts/field/lazy-text-field.tsx';
import { MomentField } from '../../parts/field/moment-field.tsx';
import { SelectField } from '../../parts/field/field.tsx';
import { WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { Toolbar } from '../../parts/page/page.tsx';
import { STATUSES, type WebhookFilters } from './filters.ts';

interface FilterBarProps {
  filters: WebhookFilters;
  onChange: (change: WebhookFilters) => void;
}

const STATUS_OPTIONS = [
  { value: '', label: 'Any' },
  ...STATUSES.map((value) => ({
    value,
    label: value === 'failed' ? 'failed (exhausted or stopped)' : value,
  })),
];

export function FilterBar({ filters, onChange }: FilterBarProps) {
  return (
    <Toolbar label="Filters">
      <WorkspaceField
        none="All workspaces"
        value={filters.workspace_id}
        onPick={(id) => onChange({ workspace_id: id })}
      />
      <SelectField
        label="Status"
        value={filters.status ?? ''}
        options={STATUS_OPTIONS}
        onPick={(status) => onChange({ status: (status || undefined) as WebhookFilters['status'] })}
      />
      <MomentField label="Since" value={filters.since} onSet={(since) => onChange({ since })} />
      <MomentField label="Before" value={filters.until} onSet={(until) => onChange({ until })} />
      <LazyTextField label="Job" value={filters.job_id} onSet={(id) => onChange({ job_id: id })} />
    </Toolbar>
  );
}
