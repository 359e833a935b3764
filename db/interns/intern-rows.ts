/** Lists the columns of interns. */
import {
  INTERN_STATUSES,
  type InternChanges,
  type InternProgress,
  type InternState,
} from '../../domain/interns/intern-record.ts';
import { jsonb, oneOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';

export const INTERN = {
  id: uuid,
  organizationId: uuid,
  workspaceId: uuid,
  name: text,
  description: text.orNull,
  instructions: text.orNull,
  model: text.orNull,
  status: oneOf(INTERN_STATUSES),
  progress: jsonb<InternProgress>().orNull,
  hostname: text.orNull,
  lastFailureMessage: text.orNull,
  vaultId: uuid,
  attachedVaultId: uuid.orNull,
  createdAt: timestamptz,
  updatedAt: timestamptz,
};

/** Selects interns `i` with their vaults. */
export const INTERNS = `
  select ${selectList(INTERN, 'i', { vaultId: 'v.id' })} from interns i join vaults v on v.intern_id = i.id`;

/** The part of an intern that requests change. */
export type InternUpdate = InternChanges & Partial<InternState> & { attachedVaultId?: string | null };
