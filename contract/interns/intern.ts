/** Defines the schemas of interns in requests and answers. */
import { z } from 'zod';
import { INTERN_MODEL_PATTERN, INTERN_STATUSES } from '../../domain/interns/intern-record.ts';
import { displayName, text } from '../text.ts';
import { internExample } from './intern-examples.ts';

/** The id may be any string. One that names no intern visible to the key is a 404. */
export const internParams = z.object({
  internId: z.string().meta({ description: 'The id of the intern.', examples: [internExample.id] }),
});

const status = z.enum(INTERN_STATUSES).meta({ description: 'The latest state that its host reported.' });

const progress = z
  .object({
    step_label: text({ min: 1, max: 255 }),
    step_number: z.int().min(0),
    total_steps: z.int().min(0),
  })
  .meta({ id: 'InternProgress', description: "The progress of the host's current work." });

/** An intern. Every field is always present: published clients reject a record that lacks one. */
export const intern = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    instructions: z.string().nullable(),
    model: z.string().nullable(),
    status,
    progress: progress.nullable(),
    hostname: z.string().nullable(),
    last_failure_message: z.string().nullable(),
    vault_id: z.uuid().nullable().meta({ description: 'The vault that was created with the intern.' }),
    attached_vault_id: z.uuid().nullable().meta({
      description: 'The attached vault of another intern, which may have been deleted since.',
    }),
    workspace_id: z.uuid(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Intern' });

const name = displayName({ max: 255 }).meta({
  description: 'Unique among the interns of one creator in the workspace.',
});
const description = text({ max: 2_000 }).nullable();
const instructions = text({ max: 32_000 }).nullable();
const model = text({ max: 255 })
  .regex(INTERN_MODEL_PATTERN, 'must be author/slug or author/slug:variant')
  .nullable()
  .meta({ description: '`author/slug` or `author/slug:variant`. It is not looked up in the catalog.' });
const vaultToAttach = z.string().meta({
  description:
    'The `vault_id` of another intern in the workspace. This intern may use the secrets in that vault too.',
});

export const newIntern = z
  .object({
    name,
    description: description.optional(),
    instructions: instructions.optional(),
    vault_id: vaultToAttach.optional(),
    workspace_id: z.string().optional().meta({
      description: 'The workspace of the key. Any other is a 404.',
    }),
    provision: z.literal(false, 'must be false: interns run on hosts of your own').optional(),
  })
  .meta({ id: 'NewIntern' });

/** The changes of an intern. An absent field stays as it is; null clears it. */
export const internChanges = z
  .object({
    name: name.optional(),
    description: description.optional(),
    instructions: instructions.optional(),
    model: model.optional(),
  })
  .meta({ id: 'InternChanges' });

export const internDeletion = z
  .object({
    acknowledge_workspace_loss: z.boolean().optional().meta({
      description: 'Accepted from published clients, without effect.',
    }),
  })
  .meta({ id: 'InternDeletion' });

export const internStatus = z
  .object({
    status,
    progress: progress.nullable().optional(),
    hostname: text({ min: 1, max: 255 }).nullable().optional(),
    last_failure_message: text({ max: 2_000 }).nullable().optional(),
  })
  .meta({ id: 'InternStatus', description: 'Replaces the whole state: an absent field becomes null.' });

export const attachedVault = z.object({ vault_id: vaultToAttach }).meta({ id: 'AttachedVault' });

export type InternRecord = z.output<typeof intern>;
export type InternStatusBody = z.output<typeof internStatus>;
