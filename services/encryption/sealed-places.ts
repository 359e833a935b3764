/** Lists every database column with encrypted values, so that a rotation of the master key misses none. */
import type { RowKey, SealedColumn } from '../../db/sealed-column-store.ts';
import { sourceTokenContext } from '../../domain/directory/source.ts';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import { secretValueContext } from '../../domain/interns/vault.ts';
import { daemonKeyContext } from '../../domain/interns/daemon-key.ts';
import { contentContext } from '../ledger/bodies/sealed-content.ts';
import { destinationConfigContext } from '../broadcast/sealed-config.ts';
import { rememberedAnswerContext } from '../answer-once.ts';
import { vaultKeyContext } from '../interns/vault/new-vault.ts';
import { webhookSecretContext } from '../webhooks/sealed-secret.ts';

/** A column whose values are re-wrapped. */
export interface SealedPlace extends SealedColumn {
  /** The name of its values in reports. */
  kind: string;
  /** Returns the context that the value of a row is bound to. */
  contextOf(rowKey: RowKey): string;
}

/** A column whose values expire before an old key has to be removed; they are only counted. */
export interface EndingPlace {
  kind: string;
  table: string;
  column: string;
  /** An SQL expression for the beginning of a value. */
  text: string;
}

const BY_ID = [{ sql: 'id', type: 'uuid' }] as const;
/** Replaces a missing workspace, because null has no place in the order of pages. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/** Returns the place of values that are bound to the id of their row. */
function byId(kind: string, table: string, column: string, contextOf: (id: string) => string): SealedPlace {
  return { kind, table, column, key: BY_ID, contextOf: ([id = '']) => contextOf(id) };
}

export const SEALED_PLACES: readonly SealedPlace[] = [
  byId('credentials', 'byok_credentials', 'sealed', byokSecretContext),
  byId('settings of destinations', 'observability_destinations', 'config_sealed', destinationConfigContext),
  byId('webhook secrets', 'webhook_secrets', 'sealed_secret', webhookSecretContext),
  {
    kind: 'tokens of directories',
    table: 'scim_sources',
    column: 'sealed_token',
    key: [{ sql: 'organization_id', type: 'uuid' }],
    contextOf: ([organizationId = '']) => sourceTokenContext(organizationId),
  },
  byId('keys of vaults', 'vaults', 'sealed_key', vaultKeyContext),
  {
    kind: 'secrets of vaults',
    table: 'vault_secrets',
    column: 'sealed_value',
    key: [
      { sql: 'vault_id', type: 'uuid' },
      { sql: 'name', type: 'text' },
    ],
    contextOf: ([vaultId = '', name = '']) => secretValueContext(vaultId, name),
  },
  {
    kind: 'signing keys for daemons',
    table: 'daemon_signing_keys',
    column: 'sealed_private_key',
    key: [{ sql: 'kid', type: 'text' }],
    contextOf: ([kid = '']) => daemonKeyContext(kid),
  },
  {
    kind: 'dead letters',
    table: 'broadcast_dead_letters',
    column: 'content_sealed',
    key: [
      { sql: 'destination_id', type: 'uuid' },
      { sql: 'generation_id', type: 'text' },
    ],
    contextOf: ([, generationId = '']) => contentContext('broadcast_dead_letters', generationId),
  },
  {
    kind: 'remembered answers',
    table: 'remembered_answers',
    column: 'sealed',
    // The table's unique key has nulls, which cannot be compared. `created_at` has an index and distinguishes most
    // rows.
    key: [
      { sql: 'created_at', type: 'timestamptz' },
      { sql: 'organization_id', type: 'uuid' },
      { sql: `coalesce(workspace_id, '${NO_WORKSPACE}')`, type: 'uuid' },
      { sql: 'operation', type: 'text' },
      { sql: 'key', type: 'text' },
    ],
    contextOf: ([, organizationId = '', workspaceId = '', operation = '', key = '']) =>
      rememberedAnswerContext({
        organizationId,
        workspaceId: workspaceId === NO_WORKSPACE ? null : workspaceId,
        operation,
        key,
      }),
  },
];

export const ENDING_PLACES: readonly EndingPlace[] = [
  {
    kind: 'broadcast bodies (end within 72 hours)',
    table: 'broadcast_bodies',
    column: 'sealed',
    text: `encode(substring(sealed from 1 for 36), 'escape')`,
  },
];
