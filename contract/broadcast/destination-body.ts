/** Defines the bodies that create and change observability destinations. */
import { z } from 'zod';
import { DESTINATION_TYPES, type DestinationType } from '../../domain/broadcast/destination.ts';
import { displayName } from '../text.ts';
import { newConfigId, parseDestinationConfig } from './destination-configs.ts';
import { NOTES } from './destination-record.ts';
import { filterRules } from './filter-rules.ts';

const MAX_KEYS = 1_000;

/** The configuration of some type. Its description names the schemas of all types. */
const configOf = (description: string) =>
  z.record(z.string(), z.unknown()).meta({
    description,
    anyOf: DESTINATION_TYPES.map((type) => ({ $ref: `#/components/schemas/${newConfigId(type)}` })),
  });
const name = displayName({ max: 256 });
const keyHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be the hash of a key: 64 hexadecimal digits')
  .toLowerCase();

/** Absent flags are false. */
const flag = (description: string) => z.boolean().optional().meta({ description });

const rules = {
  enabled: z.boolean().optional(),
  api_key_hashes: z
    .array(keyHash)
    .min(1)
    .max(MAX_KEYS)
    .nullable()
    .optional()
    .meta({ description: NOTES.api_key_hashes }),
  broadcast_generation_cost: flag(NOTES.cost),
  broadcast_generation_cost_allocation: flag(NOTES.cost_allocation),
  broadcast_generation_identity: flag(NOTES.identity),
  broadcast_generation_request_context: flag(NOTES.request_context),
  filter_rules: filterRules.nullable().optional(),
  privacy_mode: z.boolean().optional().meta({ description: NOTES.privacy_mode }),
  regions: z
    .array(z.enum(['global', 'europe', 'us', 'eu']))
    .min(1)
    .optional()
    .meta({ description: `${NOTES.regions} \`eu\` equals \`europe\`.` }),
  sampling_rate: z
    .number()
    .min(0.0001)
    .max(1)
    .optional()
    .meta({ description: `${NOTES.sampling_rate} 1 sends everything.` }),
};

/**
 * The body that creates a destination. Defaults: enabled, all keys, no filter, region `global`, everything sampled, all
 * flags and privacy mode off.
 */
export const newDestination = z
  .object({
    ...rules,
    name,
    type: z.enum(DESTINATION_TYPES),
    config: configOf(NOTES.config),
    workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
  })
  // Runs even if another field is invalid, so that one answer names all broken rules.
  .superRefine(refuseConfig, { when: () => true })
  .meta({ id: 'NewObservabilityDestination' });

/** The changes of a destination. An absent field stays as it is; null clears it. Type and workspace never change. */
export const destinationChanges = z
  .object({
    ...rules,
    name: name.optional(),
    config: configOf(
      `${NOTES.config} It replaces the whole configuration. A secret that is sent as its mask stays as it is, unless the address or account changes.`,
    ).optional(),
  })
  .meta({ id: 'ObservabilityDestinationChanges' });

export type NewDestinationBody = z.output<typeof newDestination>;
export type DestinationChangesBody = z.output<typeof destinationChanges>;

function refuseConfig(body: unknown, context: z.RefinementCtx): void {
  if (typeof body !== 'object' || body === null) return;
  const { type, config: value } = body as { type?: unknown; config?: unknown };
  if (!isType(type) || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const { path, message } of parseDestinationConfig(type, value).issues) {
    context.addIssue({ code: 'custom', path: path.split('.').slice(1), message });
  }
}

function isType(type: unknown): type is DestinationType {
  return DESTINATION_TYPES.some((one) => one === type);
}
