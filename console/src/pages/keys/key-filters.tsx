/** Chooses which keys are listed. */
import { WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { CheckField } from '../../parts/field/field.tsx';
import { Toolbar } from '../../parts/page/page.tsx';

export interface KeySearch {
  workspace_id?: string;
  disabled?: string;
}

interface KeyFiltersProps {
  search: KeySearch;
  onChange: (change: KeySearch) => void;
}

export function KeyFilters({ search, onChange }: KeyFiltersProps) {
  return (
    <Toolbar label="Filters">
      <WorkspaceField
        none="Default workspace"
        extra={[{ value: 'all', label: 'All workspaces' }]}
        value={search.workspace_id}
        onPick={(id) => onChange({ workspace_id: id })}
      />
      <CheckField
        label="Hide disabled and expired keys"
        checked={search.disabled === 'hidden'}
        onCheck={(checked) => onChange({ disabled: checked ? 'hidden' : undefined })}
      />
    </Toolbar>
  );
}
