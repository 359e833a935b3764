/** Holds the fields that creating and editing a key share. */
import type { Schema } from '../../api/call.ts';
import { WorkspaceField } from '../../parts/field/choice-fields.tsx';
import { CheckField, optionsOf, SelectField, TextField } from '../../parts/field/field.tsx';

export type Key = Schema<'ApiKey'>;
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

const RESETS = optionsOf(['daily', 'weekly', 'monthly'], 'never: a limit in all');

export function KeyForm({ draft, onChange }: { draft: KeyDraft; onChange: (draft: KeyDraft) => void }) {
  const set = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField label="Name" required autoFocus value={draft.name} onText={(name) => set({ name })} />
      <WorkspaceField
        none={draft.workspaceId === '' ? 'Default workspace' : undefined}
        value={draft.workspaceId || undefined}
        onPick={(workspaceId = '') => set({ workspaceId })}
      />
      <TextField
        label="Limit in US dollars"
        hint="Empty: no limit of its own."
        type="number"
        min={0}
        step="any"
        value={draft.limit}
        onText={(limit) => set({ limit })}
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
