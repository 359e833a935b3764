/** Defines how answers show a customer's own vendor key. */
import { z } from 'zod';
import { MAX_SORT_ORDER } from '../../domain/endpoints/byok-credential.ts';
import { NOTES } from './byok-notes.ts';

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
    declared_region: z
      .enum(['global', 'europe', 'us'])
      .nullable()
      .meta({ description: NOTES.declared_region }),
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
