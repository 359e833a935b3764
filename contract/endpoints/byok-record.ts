/** Defines how answers show a customer's own vendor key. */
import { z } from 'zod';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { MAX_SORT_ORDER } from '../../domain/endpoints/byok-credential.ts';

/** Descriptions of a credential's fields, for requests and answers. */
export const NOTES = {
  provider: 'The slug of a provider of the catalog, such as `openai`. It never changes.',
  key: 'The secret key at the vendor. It is stored encrypted and never shown again. For Azure it may also be the JSON object `{"api_key", "endpoint_url", "api_version"}` as text, whose `api_version` is optional. For Bedrock and Vertex AI it is a JSON object as text.',
  label: 'The first and last four characters of the key, or `...` if it has fewer than 20 characters.',
  disabled: 'A disabled credential serves no requests.',
  is_fallback: 'True: the credential is tried after the shared endpoints. `is_byok_only` must then be false.',
  is_required:
    'True: requests that this credential covers, by model and API key, never use shared endpoints.',
  is_byok_only:
    'True: no request in its workspaces uses shared endpoints, not even one that this credential does not cover. `is_fallback` must then be false.',
  declared_zdr:
    "Your statement that the account behind the key retains no data (zero data retention, ZDR), which Sluice does not verify. Null: the endpoint's own statement applies.",
  declared_region:
    "Your statement of where the account processes data. Null: the endpoint's own statement applies.",
  base_url:
    "The address that the key is sent to. Null: the vendor's own address. It changes only together with `key`.",
  allowed_models: 'Ids of the only models that the credential serves. Null: all models of its provider.',
  allowed_api_key_hashes: 'Hashes of the only API keys that use the credential. Null: all API keys.',
  allowed_user_ids: 'The only users whose API keys use the credential. Null: all users.',
  sort_order: 'Credentials with lower numbers are tried first.',
  workspace_id:
    'The only workspace that uses the credential. Null: all workspaces of the organization. It never changes.',
} as const;

const list = z.array(z.string()).nullable();

/** A credential. Every field is always present: published clients reject a record that lacks one. */
export const byokKey = z
  .object({
    id: z.uuid(),
    provider: z.string().meta({ description: NOTES.provider }),
    label: z.string().meta({ description: NOTES.label }),
    name: z.string().nullable(),
    disabled: z.boolean().meta({ description: NOTES.disabled }),
    is_fallback: z.boolean().meta({ description: NOTES.is_fallback }),
    is_required: z.boolean().meta({ description: NOTES.is_required }),
    is_byok_only: z.boolean().meta({ description: NOTES.is_byok_only }),
    declared_zdr: z.boolean().nullable().meta({ description: NOTES.declared_zdr }),
    declared_region: z.enum(REGIONS).nullable().meta({ description: NOTES.declared_region }),
    base_url: z.string().nullable().meta({ description: NOTES.base_url }),
    allowed_models: list.meta({ description: NOTES.allowed_models }),
    allowed_api_key_hashes: list.meta({ description: NOTES.allowed_api_key_hashes }),
    allowed_user_ids: list.meta({ description: NOTES.allowed_user_ids }),
    sort_order: z.int().min(0).max(MAX_SORT_ORDER).meta({ description: NOTES.sort_order }),
    workspace_id: z.uuid().nullable().meta({ description: NOTES.workspace_id }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ByokKey' });

export type ByokKeyRecord = z.output<typeof byokKey>;
