/** Holds the fields that creating and editing a key share. */
import type { components } from '../../../generated/api.d.ts';
import { CheckField, SelectField, TextField } from '../../parts/field/field.tsx';

export type Key = components['schemas']['ApiKey'];
export type KeyAction = 'edit' | 'switch' | 'delete';
type Reset = NonNullable<Key['limit_reset']>;

export interface KeyDraft {
  name: string;
  /** The text of the field; empty: no limit. */
  limit: string;
  reset: Reset | '';
  countsByok: boolean;
  workspaceId: string;
}

export const NEW_DRAFT: KeyDraft = { name: '', limit: '', reset: '', countsByok: false, workspaceId: '' };

export function draftOf(key: Key): KeyDraft {
  return {
    name: key.name,
    limit: key.limit === null ? '' : String(key.limit),
    reset: key.limit_reset ?? '',
    countsByok: key.include_byok_in_limit,
    workspaceId: key.workspace_id,
  };
}

/** Returns the fields of a draft as calls have them. */
export function fieldsOf({ name, limit, reset, countsByok, workspaceId }: KeyDraft) {
  return {
    name: name.trim(),
    limit: limit.trim() === '' ? null : Number(limit),
    limit_reset: reset === '' ? null : reset,
    include_byok_in_limit: countsByok,
    ...(workspaceId === '' ? {} : { workspace_id: workspaceId }),
  };
}

const RESETS = [
  { value: '', label: 'never: a limit in all' },
  { value: 'daily', label: 'daily' },
  { value: 'weekly', label: 'weekly' },
  { value: 'monthly', label: 'monthly' },
];

interface KeyFormProps {
  draft: KeyDraft;
  workspaces: readonly { id: string; name: string }[];
  onChange: (draft: KeyDraft) => void;
}

export function KeyForm({ draft, workspaces, onChange }: KeyFormProps) {
  const set = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="Name"
        required
        autoFocus
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <SelectField
        label="Workspace"
        value={draft.workspaceId}
        options={[
          ...(draft.workspaceId === '' ? [{ value: '', label: 'Default workspace' }] : []),
          ...workspaces.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onPick={(workspaceId) => set({ workspaceId })}
      />
      <TextField
        label="Limit in US dollars"
        hint="Empty: no limit of its own."
        type="number"
        min={0}
        step="any"
        value={draft.limit}
        onChange={(event) => set({ limit: event.target.value })}
      />
      <SelectField
        label="The limit begins again"
        value={draft.reset}
        options={RESETS}
        onPick={(reset) => set({ reset: reset as Reset | '' })}
      />
      <CheckField
        label="Spending with your own vendor keys counts too"
        checked={draft.countsByok}
        onCheck={(countsByok) => set({ countsByok })}
      />
    </>
  );
}
