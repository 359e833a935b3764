/** Chooses which keys are listed. */
import { CheckField, SelectField } from '../../parts/field/field.tsx';
import { Toolbar } from '../../parts/page/page.tsx';

export interface KeySearch {
  workspace_id?: string;
  disabled?: string;
}

interface KeyFiltersProps {
  workspaces: readonly { id: string; name: string }[];
  search: KeySearch;
  onChange: (change: KeySearch) => void;
}

export function KeyFilters({ workspaces, search, onChange }: KeyFiltersProps) {
  return (
    <Toolbar label="Filters">
      <SelectField
        label="Workspace"
        value={search.workspace_id ?? ''}
        options={[
          { value: '', label: 'Default workspace' },
          { value: 'all', label: 'All workspaces' },
          ...workspaces.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onPick={(id) => onChange({ workspace_id: id || undefined })}
      />
      <CheckField
        label="Hide disabled and expired keys"
        checked={search.disabled === 'hidden'}
        onCheck={(checked) => onChange({ disabled: checked ? 'hidden' : undefined })}
      />
    </Toolbar>
  );
}
