/** Declares the operations on presets and their versions. */
import { z } from 'zod';
import { PRESET_SLUG_PATTERN } from '../../domain/presets/preset.ts';
import { answerWith, deletion, pageOf } from '../answers.ts';
import { REPLAY_HEADER, sessionHeaders } from '../headers.ts';
import { conversation } from '../live/generation-request.ts';
import { defineOperations } from '../operation.ts';
import { preset, presetChanges, presetVersion, presetWithVersion } from './preset.ts';
import * as examples from './preset-examples.ts';
import { presetChatRequest, presetMessagesRequest, presetResponsesRequest } from './preset-request.ts';
import { pageQuery, queryFlag } from '../query-values.ts';

const common = { access: 'management', tag: 'Presets' } as const;
const slugMeta = { description: 'Unique in the workspace of the key.', examples: ['code-reviewer'] };

/** The slug may be any string. One that names no preset of the workspace is a 404. */
const params = z.object({ slug: z.string().meta(slugMeta) });

const newSlug = z
  .string()
  .regex(PRESET_SLUG_PATTERN, 'must be 1 to 128 letters, digits and . _ ~ -, not beginning with a dot')
  .meta(slugMeta);

const current = answerWith('PresetAnswer', presetWithVersion, examples.presetWithVersion);

/** The properties of the three operations that capture a request. They differ in the dialect of the body only. */
const fromRequest = {
  description:
    'Creates the preset, or a new version of an existing one, which requests use from now on. The preset stores the configuration in the body, as fields of a chat request, and the system prompt, but not the rest of the conversation. An archived preset is a 409. So is a version above 1,000 of a preset, or above 50 MB of versions in the workspace.',
  params: z.object({ slug: newSlug }),
  headers: sessionHeaders,
  idempotent: true,
  responses: {
    200: { description: 'The preset with its new version.', headers: REPLAY_HEADER, ...current },
  },
  errors: [404, 409],
} as const;

export const presetOperations = defineOperations(common, {
  createPresetFromMessages: {
    ...fromRequest,
    route: 'POST /presets/{slug}/messages',
    errorMessages: 'exact',
    summary: 'Make a preset from a messages request',
    body: { ...conversation, schema: presetMessagesRequest, examples: examples.messagesRequests },
  },

  createPresetFromChatCompletion: {
    ...fromRequest,
    route: 'POST /presets/{slug}/chat/completions',
    summary: 'Make a preset from a chat request',
    body: { ...conversation, schema: presetChatRequest, examples: examples.chatRequests },
  },

  createPresetFromResponse: {
    ...fromRequest,
    route: 'POST /presets/{slug}/responses',
    summary: 'Make a preset from a responses request',
    body: { ...conversation, schema: presetResponsesRequest, examples: examples.responsesRequests },
  },

  listPresets: {
    route: 'GET /presets',
    summary: 'List presets',
    description: "Lists the presets of the key's workspace, the last changed first.",
    query: z.object({
      ...pageQuery,
      include_archived: queryFlag()
        .default(false)
        .meta({ description: 'True: returns archived presets too.' }),
    }),
    responses: {
      200: { description: 'One page of presets.', ...pageOf('PresetList', preset, examples.preset) },
    },
  },

  getPreset: {
    route: 'GET /presets/{slug}',
    summary: 'Get a preset',
    params,
    responses: { 200: { description: 'The preset with the version in use.', ...current } },
    errors: [400, 404],
  },

  listPresetVersions: {
    route: 'GET /presets/{slug}/versions',
    summary: 'List the versions of a preset',
    description: 'Lists the versions, the oldest first.',
    params,
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of versions.',
        ...pageOf('PresetVersionList', presetVersion, examples.presetVersion),
      },
    },
    errors: [400, 404],
  },

  getPresetVersion: {
    route: 'GET /presets/{slug}/versions/{version}',
    summary: 'Get a version of a preset',
    params: params.extend({
      version: z.string().meta({ description: 'The number of the version.', examples: ['1'] }),
    }),
    responses: {
      200: {
        description: 'The version.',
        ...answerWith('PresetVersionAnswer', presetVersion, examples.presetVersion),
      },
    },
    errors: [400, 404],
  },

  updatePreset: {
    route: 'PATCH /presets/{slug}',
    summary: 'Update a preset',
    description:
      'Changes the fields in the body and leaves the others. A body without a field to change is a 400. An archived preset is a 409 unless the body sets its `status`.',
    params,
    body: { schema: presetChanges, examples: examples.changes },
    responses: { 200: { description: 'The preset as it is now.', ...current } },
    errors: [400, 404, 409],
  },

  deletePreset: {
    route: 'DELETE /presets/{slug}',
    summary: 'Archive a preset',
    description:
      'Archives the preset: requests cannot use it. It keeps its versions and its slug; an update of its `status` restores it.',
    params,
    responses: { 200: { description: 'The preset is archived.', ...deletion('PresetDeleted') } },
    errors: [400, 404],
  },
});
