/** Defines how answers show an observability destination and its delivery. */
import { z } from 'zod';
import {
  DELIVERY_STATES,
  DESTINATION_TYPES,
  type DestinationType,
} from '../../domain/broadcast/destination.ts';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { configSchemas, wordsOf } from './destination-configs.ts';
import { shownFilterRules } from './filter-rules.ts';

/** Descriptions of a destination's fields, for requests and answers. */
export const NOTES = {
  api_key_hashes: 'Hashes of the only keys whose generations are sent. Null: all keys.',
  cost: 'Sends the cost of the generation.',
  cost_allocation: 'Sends the cost of each kind of token, if these costs add up to the bill.',
  identity: 'Sends user, external user, name and hash of the key, organization and workspace.',
  request_context: 'Sends referer, title, user agent and country of the request.',
  privacy_mode: 'Sends neither prompts nor answers.',
  regions: 'The data regions whose generations are sent.',
  sampling_rate:
    'The share of sessions, or of traces without a session, that is sent. A higher rate also sends everything that a lower rate sends.',
  config:
    'The configuration of the type. Fields that the type does not have are refused. Responses mask secrets, the values of headers, and the parts of a URL that may be secret: `abcd...wxyz`, or `...` for fewer than 20 characters.',
} as const;

const time = z.iso.datetime();
const count = z.int().min(0);

const delivery = z
  .object({
    state: z.enum(DELIVERY_STATES).meta({
      description:
        '`idle`: waits for the next generation. `running`: sends. `backing_off`: repeats a failed batch at `next_attempt_at`. `needs_attention`: the tool refuses the configuration; Sluice tries again every five minutes. `disabled`: every attempt of a day failed; enable the destination to continue.',
    }),
    reason: z.string().nullable().meta({ description: 'The reason why the destination does not send.' }),
    next_attempt_at: time.nullable(),
    backlog: count.meta({
      description: 'The number of generations of the workspace that have not been processed yet.',
    }),
    oldest_age_seconds: count.nullable().meta({
      description: 'The waiting time of the oldest of these generations; null if none waits.',
    }),
    delivered: count.meta({ description: 'Generations that the tool accepted.' }),
    rejected: count.meta({ description: 'Generations that the tool refused while it accepted their batch.' }),
    without_content: count.meta({ description: 'Generations whose prompt and answer could not be sent.' }),
    undecided: count.meta({
      description:
        'Generations that are not sent because a filter tests their prompt or answer, which could not be stored, or not as a whole. One is subtracted and decided if both are stored within five minutes.',
    }),
    given_up: count.meta({ description: 'Generations that waited too long and were dropped.' }),
    dead_letters: count.meta({ description: 'All generations that ever became dead letters.' }),
  })
  .meta({ id: 'ObservabilityDelivery' });

/** Returns the schema of a configuration in answers: defaults are filled in, and masks replace secrets. */
function shownConfig(type: DestinationType) {
  const schema: z.ZodObject = configSchemas[type];
  const fields = Object.entries<z.ZodType>(schema.shape).map(([name, field]) => {
    if (name === 'headers') return [name, z.record(z.string(), z.string()).optional()];
    const absent = field.safeParse(undefined);
    const isOptional = absent.success && absent.data === undefined;
    return [name, isOptional ? z.string().optional() : z.string()];
  });
  return z
    .strictObject(Object.fromEntries(fields) as Record<string, z.ZodType>)
    .meta({ id: `Observability${wordsOf(type)}Config` });
}

/** A destination. Every field is always present: published clients drop a record that lacks one. */
export const destination = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    name: z.string().nullable(),
    type: z.enum(DESTINATION_TYPES),
    // No two types have the same required fields, so a configuration matches one type only.
    config: z
      .union(DESTINATION_TYPES.map(shownConfig))
      .meta({ description: 'The configuration of the type, with masks in place of secrets.' }),
    enabled: z.boolean(),
    api_key_hashes: z.array(z.string()).nullable().meta({ description: NOTES.api_key_hashes }),
    broadcast_generation_cost: z.boolean().meta({ description: NOTES.cost }),
    broadcast_generation_cost_allocation: z.boolean().meta({ description: NOTES.cost_allocation }),
    broadcast_generation_identity: z.boolean().meta({ description: NOTES.identity }),
    broadcast_generation_request_context: z.boolean().meta({ description: NOTES.request_context }),
    filter_rules: shownFilterRules.nullable(),
    privacy_mode: z.boolean().meta({ description: NOTES.privacy_mode }),
    regions: z.array(z.enum(REGIONS)).meta({ description: NOTES.regions }),
    sampling_rate: z.number().meta({ description: NOTES.sampling_rate }),
    created_at: time,
    updated_at: time,
    delivery,
  })
  .meta({ id: 'ObservabilityDestination' });

export type DestinationRecord = z.output<typeof destination>;
