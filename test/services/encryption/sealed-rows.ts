import { createBroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import type { Handle } from '../../support/open-database.ts';
import { sourceTokenContext } from '../../../domain/directory/source.ts';
import { byokSecretContext } from '../../../domain/endpoints/byok-credential.ts';
import { newUuid } from '../../../domain/ids.ts';
import { secretValueContext } from '../../../domain/interns/vault.ts';
import { createEncryption, type Encryption } from '../../../platform/encryption.ts';
import type { EncryptionConfig } from '../../../platform/encryption-keys.ts';
import { openContent, sealContent, sealDeadContent } from '../../../services/ledger/bodies/sealed-content.ts';
import { openConfig, sealConfig } from '../../../services/broadcast/sealed-config.ts';
import { answerOnce, findEarlierAnswer } from '../../../services/answer-once.ts';
import { newVault, vaultKeyContext } from '../../../services/interns/vault/new-vault.ts';
import { openSecret } from '../../../services/webhooks/sealed-secret.ts';

/** What the sealed rows of a scene are about. */
export interface SealedIds {
  organizationId: string;
  workspaceId: string;
  credentialId: string;
  destinationId: string;
  /** The generation of a dead letter and of a broadcast body. */
  generationId: string;
}

const CONTENT = { input: { messages: [] }, output: 'the secret answer' };
const NAME = 'stripe_key';
const KID = 'kid-1';
const ANSWER = { status: 201, body: { key: 'sk-remembered' } };

function scopeOf({ organizationId }: SealedIds) {
  return { organizationId, workspaceId: null, operation: 'createKeys', key: 'a?b', requestHash: 'h' };
}

/** Inserts one row of each kind. The organization has a webhook secret already. */
export async function insertSealedRows(knex: Handle, encryption: Encryption, ids: SealedIds): Promise<void> {
  await insertCredential(knex, encryption, ids);
  await insertDestination(knex, encryption, ids);
  await insertContent(knex, encryption, ids);
  await insertSource(knex, encryption, ids);
  await insertVault(knex, encryption, ids);
  await insertSigningKey(knex, encryption);
  await answerOnce({ knex, scope: scopeOf(ids), encryption }, async (_, remember) => {
    await remember(ANSWER);
    return ANSWER;
  });
}

async function insertCredential(knex: Handle, encryption: Encryption, ids: SealedIds): Promise<void> {
  const sealed = encryption.seal('sk-customer', byokSecretContext(ids.credentialId));
  await knex.raw(`insert into providers (slug, name, adapter) values ('acme', 'Acme', 'openai')`);
  await knex.raw(
    `insert into byok_credentials (id, organization_id, provider_slug, label, disabled, is_fallback, is_required,
       is_byok_only, sort_order, sealed, secret_version)
     values (?, ?, 'acme', '****', false, false, false, false, 0, ?, ?)`,
    [ids.credentialId, ids.organizationId, sealed, newUuid()],
  );
}

async function insertDestination(knex: Handle, encryption: Encryption, ids: SealedIds): Promise<void> {
  const config = { url: 'https://app.example/hooks' };
  const { configSealed, configShown } = sealConfig(encryption, ids.destinationId, {
    type: 'webhook',
    config,
  });
  await knex.raw(
    `insert into observability_destinations (id, organization_id, workspace_id, type, enabled, config_sealed,
       config_shown, regions, sampling_rate, privacy_mode, sends_cost, sends_cost_allocation, sends_identity,
       sends_request_context)
     values (?, ?, ?, 'webhook', true, ?, ?, '{}', 1, false, true, true, true, true)`,
    [ids.destinationId, ids.organizationId, ids.workspaceId, configSealed, JSON.stringify(configShown)],
  );
}

async function insertSource(
  knex: Handle,
  encryption: Encryption,
  { organizationId }: SealedIds,
): Promise<void> {
  const sealed = encryption.seal('the token of a directory', sourceTokenContext(organizationId));
  await knex.raw(
    `insert into scim_sources (organization_id, type, base_url, sealed_token, interval_minutes, disable_keys)
     values (?, 'scim', 'https://directory.example/scim/v2', ?, 60, 'all')`,
    [organizationId, sealed],
  );
}

async function insertVault(knex: Handle, encryption: Encryption, ids: SealedIds): Promise<void> {
  const { id, sealedKey } = newVault(encryption);
  await knex.raw('insert into vaults (id, organization_id, workspace_id, sealed_key) values (?, ?, ?, ?)', [
    id,
    ids.organizationId,
    ids.workspaceId,
    sealedKey,
  ]);
  const sealed = encryption.seal('the secret of a vault', secretValueContext(id, NAME));
  await knex.raw('insert into vault_secrets (vault_id, name, sealed_value, version) values (?, ?, ?, ?)', [
    id,
    NAME,
    sealed,
    newUuid(),
  ]);
}

async function insertSigningKey(knex: Handle, encryption: Encryption): Promise<void> {
  const sealed = encryption.seal('a private key', `daemon_signing_keys:${KID}`);
  await knex.raw(
    `insert into daemon_signing_keys (kid, public_key, sealed_private_key, signs_from) values (?, '', ?, now())`,
    [KID, sealed],
  );
}

async function insertContent(knex: Handle, encryption: Encryption, ids: SealedIds): Promise<void> {
  const { destinationId, generationId } = ids;
  await knex.raw(
    `insert into broadcast_dead_letters (id, destination_id, created_at, generation_id, reason, content_sealed)
     values (?, ?, now(), ?, 'refused', ?)`,
    [newUuid(), destinationId, generationId, sealDeadContent(encryption, generationId, CONTENT as never)],
  );
  const sealed = sealContent(encryption, 'broadcast_bodies', generationId, Buffer.from('x'));
  const row = { generationId, settledAt: new Date(), size: 1, sealed: Buffer.from(sealed, 'latin1') };
  await createBroadcastBodyStore(knex).insert([row]);
}

/** Returns what each kind of row says when it is opened with these keys. Rejects where one does not open. */
export async function openSealedRows(
  knex: Handle,
  config: EncryptionConfig,
  ids: SealedIds,
): Promise<unknown[]> {
  const encryption = createEncryption(config);
  const read = async (table: string, column: string): Promise<string> =>
    (await knex(table).first(column))[column] as string;
  const secrets = await knex('webhook_secrets').select('id', 'sealed_secret as sealedSecret');
  const configSealed = await read('observability_destinations', 'config_sealed');
  const dead = await read('broadcast_dead_letters', 'content_sealed');
  const vaultId = await read('vaults', 'id');
  const open = async (table: string, column: string, context: string): Promise<string> =>
    encryption.open(await read(table, column), context).toString('base64');
  return [
    await open('vaults', 'sealed_key', vaultKeyContext(vaultId)),
    await open('vault_secrets', 'sealed_value', secretValueContext(vaultId, NAME)),
    await open('daemon_signing_keys', 'sealed_private_key', `daemon_signing_keys:${KID}`),
    encryption.open(await read('byok_credentials', 'sealed'), byokSecretContext(ids.credentialId)).toString(),
    encryption
      .open(await read('scim_sources', 'sealed_token'), sourceTokenContext(ids.organizationId))
      .toString(),
    openConfig(encryption, { id: ids.destinationId, type: 'webhook', configSealed }),
    secrets.every((secret) => openSecret(encryption, secret).startsWith('whsec_')),
    await openContent(encryption, 'broadcast_dead_letters', ids.generationId, dead),
    await findEarlierAnswer({ knex, scope: scopeOf(ids), encryption }),
  ];
}
