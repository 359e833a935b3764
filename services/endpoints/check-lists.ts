/** Checks the models, keys and users to which a customer restricts a credential. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import { findOwnKeyHashes } from '../../db/accounts/own-key-hashes.ts';
import type { Issue } from '../../domain/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CredentialSettings } from './credential-draft.ts';

export interface CheckListsDeps {
  knex: Handle;
  catalog: Pick<Catalog, 'findKnownModel'>;
}

/** The models, keys and users that a credential may serve. An absent list stays unchanged. */
export type CredentialLists = Partial<
  Pick<CredentialSettings, 'allowedModels' | 'allowedApiKeyHashes' | 'allowedUserIds'>
>;

/**
 * Checks the lists of a credential. Returns them as they are stored, without repetitions and with the ids of models,
 * and an issue for each entry that is neither in the catalog nor in the organization.
 */
export async function checkLists<Fields extends CredentialLists>(
  { knex, catalog }: CheckListsDeps,
  organizationId: string,
  fields: Fields,
): Promise<{ fields: Fields; issues: Issue[] }> {
  const { allowedModels, allowedApiKeyHashes, allowedUserIds } = fields;
  const modelId = (name: string): string | undefined => catalog.findKnownModel(name)?.id;
  const hashes = allowedApiKeyHashes ?? [];
  const ownHashes =
    hashes.length === 0 ? new Set<string>() : await findOwnKeyHashes(knex, organizationId, hashes);
  const members = await membersOf(knex, organizationId, allowedUserIds ?? []);
  const issues = [
    ...unknownEntries('allowed_models', allowedModels, (name) => modelId(name) !== undefined, NO_MODEL),
    ...unknownEntries('allowed_api_key_hashes', allowedApiKeyHashes, (hash) => ownHashes.has(hash), NO_KEY),
    ...unknownEntries('allowed_user_ids', allowedUserIds, (id) => members.has(id), NO_MEMBER),
  ];
  const stored = {
    ...fields,
    ...withList('allowedModels', allowedModels?.flatMap((name) => modelId(name) ?? []) ?? allowedModels),
    ...withList('allowedApiKeyHashes', allowedApiKeyHashes),
    ...withList('allowedUserIds', allowedUserIds),
  };
  return { fields: stored, issues };
}

const NO_MODEL = 'is no model of the catalog';
const NO_KEY = 'is the hash of no key of the organization';
const NO_MEMBER = 'is no member of the organization';

function unknownEntries(
  field: string,
  list: readonly string[] | null | undefined,
  isKnown: (entry: string) => boolean,
  message: string,
): Issue[] {
  return (list ?? []).flatMap((entry, index) =>
    isKnown(entry) ? [] : [{ path: `body.${field}.${index}`, message }],
  );
}

function withList(name: keyof CredentialLists, list: readonly string[] | null | undefined): CredentialLists {
  if (list === undefined) return {};
  return { [name]: list && [...new Set(list)] };
}

async function membersOf(knex: Handle, organizationId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const members = await createOrganizationStore(knex).holdMembers(organizationId, ids);
  return new Set(members.map(({ userId }) => userId));
}
