/** Converts rows of interns to records, and changes to columns. */
import type {
  Intern,
  InternChanges,
  InternProgress,
  InternState,
} from '../../domain/interns/intern-record.ts';

export interface InternRow {
  id: string;
  organization_id: string;
  workspace_id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  model: string | null;
  status: Intern['status'];
  progress: InternProgress | null;
  hostname: string | null;
  last_failure_message: string | null;
  vault_id: string;
  attached_vault_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Selects interns `i` with their vaults. */
export const INTERNS = `
  select i.id, i.organization_id, i.workspace_id, i.name, i.description, i.instructions, i.model, i.status, i.progress,
    i.hostname, i.last_failure_message, v.id vault_id, i.attached_vault_id, i.created_at, i.updated_at
  from interns i join vaults v on v.intern_id = i.id`;

export function toIntern(row: InternRow): Intern {
  return {
    id: row.id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    instructions: row.instructions,
    model: row.model,
    status: row.status,
    progress: row.progress,
    hostname: row.hostname,
    lastFailureMessage: row.last_failure_message,
    vaultId: row.vault_id,
    attachedVaultId: row.attached_vault_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The part of an intern that requests change. */
export type InternUpdate = InternChanges & Partial<InternState> & { attachedVaultId?: string | null };

const COLUMNS: Record<keyof InternUpdate, string> = {
  name: 'name',
  description: 'description',
  instructions: 'instructions',
  model: 'model',
  status: 'status',
  progress: 'progress',
  hostname: 'hostname',
  lastFailureMessage: 'last_failure_message',
  attachedVaultId: 'attached_vault_id',
};

/** Returns the values of the columns that change. */
export function columnsOf(update: InternUpdate): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(update).map(([field, value]) => [COLUMNS[field as keyof InternUpdate], value]),
  );
}
