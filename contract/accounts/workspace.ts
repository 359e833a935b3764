/** Defines the schemas of workspaces in requests and answers. */
import { z } from 'zod';
import { UUID_PATTERN } from '../../domain/ids.ts';
import { DELIVERED_EVENT_TYPES } from '../../domain/webhooks/webhook-event.ts';
import {
  DELETED_SLUG_PREFIX,
  isSlugOfDeleted,
  MAX_ALERT_THRESHOLDS,
  PROVIDER_SORTS,
  WORKSPACE_SLUG_PATTERN,
} from '../../domain/accounts/workspace.ts';
import { displayName, httpUrl, text } from '../text.ts';

const time = z.iso.datetime();

/** The server tools, under the names that clients of this API shape use. */
const SERVER_TOOLS = [
  'openrouter:advisor',
  'openrouter:apply_patch',
  'openrouter:bash',
  'openrouter:datetime',
  'openrouter:experimental__search_models',
  'openrouter:fusion',
  'openrouter:image_generation',
  'openrouter:shell',
  'openrouter:subagent',
  'openrouter:tool_search',
  'openrouter:web_fetch',
  'openrouter:web_search',
] as const;

const NOTES = {
  budget_alert_thresholds:
    'The percentages of a limit at which `budget.threshold_reached` is sent, in ascending order; empty: none. They apply to the budgets of the workspace and to the limits of its keys. The percentages of the default workspace also apply to the credit of the organization.',
  default_callback_url:
    'Receives the webhooks of jobs without a `callback_url` of their own, and the events that do not concern a job.',
  webhook_event_types:
    'The types of events that `default_callback_url` receives; null: all, including types that are added later. The `callback_url` of a job receives every event of that job.',
  webhook_failing_since:
    'The time at which a callback URL of the workspace began to fail. Null unless that was at least five days ago and every delivery and test since has failed. If several URLs fail, it is the earliest time. A URL other than `default_callback_url` counts only under two conditions: it failed again after the five days, and its last failure is at most five days old.',
  disabled_server_tools: 'Server tools that requests of this workspace may not use.',
  io_logging_api_key_ids: 'Numeric ids of the keys whose inputs and outputs are logged; null: all keys.',
  io_logging_sampling_rate: 'The share of requests that is logged.',
  slug: `Unique in the organization. It must not look like an id, nor like the slug of a deleted workspace: \`${DELETED_SLUG_PREFIX}\` with an id.`,
};

export const workspace = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    created_at: time,
    updated_at: time.nullable(),
    created_by: z.string().nullable(),
    budget_alert_thresholds: z.array(z.int()).meta({ description: NOTES.budget_alert_thresholds }),
    default_guardrail_id: z.uuid(),
    default_text_model: z.string().nullable(),
    default_image_model: z.string().nullable(),
    default_provider_sort: z.string().nullable(),
    default_callback_url: z.string().nullable().meta({ description: NOTES.default_callback_url }),
    disabled_server_tools: z.array(z.string()).nullable().meta({ description: NOTES.disabled_server_tools }),
    include_byok_in_budgets: z.boolean(),
    io_logging_api_key_ids: z.array(z.int()).nullable().meta({ description: NOTES.io_logging_api_key_ids }),
    io_logging_sampling_rate: z.number().meta({ description: NOTES.io_logging_sampling_rate }),
    is_data_discount_logging_enabled: z.boolean(),
    is_observability_broadcast_enabled: z.boolean(),
    is_observability_io_logging_enabled: z.boolean(),
    webhook_event_types: z.array(z.string()).nullable().meta({ description: NOTES.webhook_event_types }),
    webhook_failing_since: time.nullable().meta({ description: NOTES.webhook_failing_since }),
  })
  .meta({ id: 'Workspace' });

export type WorkspaceRecord = z.output<typeof workspace>;

const slug = z
  .string()
  .max(50)
  .regex(WORKSPACE_SLUG_PATTERN, 'must be lower-case letters and digits, in words joined by single hyphens')
  // A slug that looks like an id could identify two workspaces.
  .refine((value) => !UUID_PATTERN.test(value), 'must not look like an id')
  .refine(
    (value) => !isSlugOfDeleted(value),
    `must not be ${DELETED_SLUG_PREFIX} with an id: deleted workspaces have such slugs`,
  );
const modelName = text({ min: 1, max: 256 }).nullable();

/** The changes of a workspace. An absent field stays as it is; null clears it. */
export const workspaceChanges = z
  .object({
    name: displayName({ max: 100 }).optional(),
    slug: slug.optional().meta({ description: NOTES.slug }),
    description: text({ max: 500 }).nullable().optional(),
    budget_alert_thresholds: z
      .array(z.int().min(1).max(100))
      .max(MAX_ALERT_THRESHOLDS)
      .nullable()
      .optional()
      .meta({
        description: `${NOTES.budget_alert_thresholds} Null equals an empty list. A new workspace has 50, 80 and 100.`,
      }),
    default_text_model: modelName.optional(),
    default_image_model: modelName.optional(),
    default_provider_sort: z.enum(PROVIDER_SORTS).nullable().optional(),
    default_callback_url: httpUrl({ max: 2048 })
      .nullable()
      .optional()
      .meta({ description: `${NOTES.default_callback_url} Must be https. Null: none.` }),
    disabled_server_tools: z
      .array(z.enum(SERVER_TOOLS))
      .nullable()
      .optional()
      .meta({ description: `${NOTES.disabled_server_tools} An empty list or null allows all.` }),
    io_logging_api_key_ids: z
      .array(z.int().min(1))
      .max(1000)
      .nullable()
      .optional()
      .meta({ description: `${NOTES.io_logging_api_key_ids} Ids that name no key match nothing.` }),
    io_logging_sampling_rate: z
      .number()
      .min(0.0001)
      .max(1)
      .optional()
      .meta({ description: NOTES.io_logging_sampling_rate }),
    is_data_discount_logging_enabled: z.boolean().optional(),
    is_observability_broadcast_enabled: z.boolean().optional(),
    is_observability_io_logging_enabled: z.boolean().optional(),
    webhook_event_types: z
      .array(z.enum(DELIVERED_EVENT_TYPES))
      .nullable()
      .optional()
      .meta({ description: `${NOTES.webhook_event_types} An empty list: none.` }),
  })
  .meta({ id: 'WorkspaceChanges' });

export type WorkspaceChangesBody = z.output<typeof workspaceChanges>;

/** The body that creates a workspace. Absent settings get their defaults: no default models, and nothing is logged. */
export const newWorkspace = workspaceChanges
  .extend({
    name: displayName({ max: 100 }),
    slug: slug.meta({ description: NOTES.slug }),
  })
  .meta({ id: 'NewWorkspace' });
