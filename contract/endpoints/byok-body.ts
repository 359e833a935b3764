/** Defines the bodies that create and change customers' own vendor keys. */
import { z } from 'zod';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { MAX_SORT_ORDER } from '../../domain/endpoints/byok-credential.ts';
import { text } from '../text.ts';
import { NOTES } from './byok-record.ts';

const MAX_ENTRIES = 100;

const key = text({ min: 1, max: 16_384 }).meta({ description: NOTES.key });

const keyHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be the hash of a key: 64 hexadecimal digits')
  .toLowerCase();

/** Returns the schema of a list that allows everything if it is null. */
function allowed(entry: z.ZodType<string>, description: string) {
  return z.array(entry).min(1).max(MAX_ENTRIES).nullable().optional().meta({ description });
}

const settings = {
  name: text({ max: 256 }).nullable().optional(),
  disabled: z.boolean().optional().meta({ description: NOTES.disabled }),
  is_fallback: z.boolean().optional().meta({ description: NOTES.is_fallback }),
  is_required: z.boolean().optional().meta({ description: NOTES.is_required }),
  is_byok_only: z.boolean().optional().meta({ description: NOTES.is_byok_only }),
  declared_zdr: z.boolean().nullable().optional().meta({ description: NOTES.declared_zdr }),
  declared_region: z.enum(REGIONS).nullable().optional().meta({ description: NOTES.declared_region }),
  base_url: text({ min: 1, max: 2_048 }).nullable().optional().meta({ description: NOTES.base_url }),
  allowed_models: allowed(text(), `${NOTES.allowed_models} Other names of the models are accepted too.`),
  allowed_api_key_hashes: allowed(keyHash, NOTES.allowed_api_key_hashes),
  allowed_user_ids: allowed(text(), NOTES.allowed_user_ids),
};

/**
 * The body that creates a credential. Absent flags are false, and other absent settings are null. A new credential is
 * tried last.
 */
export const newByokKey = z
  .object({
    provider: text({ min: 1 }).meta({ description: NOTES.provider }),
    key,
    ...settings,
    workspace_id: z
      .uuid()
      .nullable()
      .optional()
      .meta({ description: `${NOTES.workspace_id} Absent: the default workspace.` }),
  })
  .meta({ id: 'NewByokKey' });

/** The changes of a credential. An absent field stays as it is. Provider and workspace never change. */
export const byokKeyChanges = z
  .object({
    key: key.optional().meta({ description: `${NOTES.key} It replaces the stored key and its label.` }),
    ...settings,
    sort_order: z.int().min(0).max(MAX_SORT_ORDER).optional().meta({ description: NOTES.sort_order }),
  })
  .meta({ id: 'ByokKeyChanges' });

export type NewByokKeyBody = z.output<typeof newByokKey>;
export type ByokKeyChangesBody = z.output<typeof byokKeyChanges>;
