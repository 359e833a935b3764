/** Declares the operations on classifiers and their tags. */
import { z } from 'zod';
import { tagDimension } from './analytics-query.ts';
import { answerWith, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { pageQuery, queryFlag } from '../query-values.ts';
import { displayName, text } from '../text.ts';

const common = { access: 'management', tag: 'Classifiers' } as const;
const time = z.iso.datetime();

const params = idParams('classifier', '3f6d1f0e-8f58-4c0b-9a3c-1f7c2f0b7a10');

const classifier = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    is_active: z.boolean().meta({ description: 'Analytics can use active classifiers only.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Classifier' });

const name = displayName({ max: 100 });
const description = text({ max: 500 }).nullable();
const example = {
  id: '3f6d1f0e-8f58-4c0b-9a3c-1f7c2f0b7a10',
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  name: 'Topics',
  description: null,
  is_active: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const current = answerWith('ClassifierAnswer', classifier, example);

export const classifierOperations = defineOperations(common, {
  createClassifier: {
    route: 'POST /classifiers',
    summary: 'Create a classifier',
    description:
      'Registers a system of yours that tags generations by topic. Its tags become dimensions of analytics.',
    idempotent: true,
    body: {
      schema: z
        .object({
          name,
          description: description.optional(),
          is_active: z.boolean().optional().meta({ description: 'Absent: `true`.' }),
          workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
        })
        .meta({ id: 'NewClassifier' }),
      examples: { topics: { summary: 'A classifier of topics', value: { name: 'Topics' } } },
    },
    responses: { 201: { description: 'The classifier.', headers: REPLAY_HEADER, ...current } },
    errors: [404],
  },

  listClassifiers: {
    route: 'GET /classifiers',
    summary: 'List classifiers',
    description: 'Lists the classifiers of a workspace, the oldest first.',
    query: z.object({
      ...pageQuery,
      workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
      include_inactive: queryFlag().default(true),
    }),
    responses: {
      200: { description: 'One page of classifiers.', ...pageOf('ClassifierList', classifier, example) },
    },
    errors: [404],
  },

  getClassifier: {
    route: 'GET /classifiers/{id}',
    summary: 'Get a classifier',
    params,
    responses: { 200: { description: 'The classifier.', ...current } },
    errors: [404],
  },

  updateClassifier: {
    route: 'PATCH /classifiers/{id}',
    summary: 'Update a classifier',
    description:
      'Changes the fields in the body and leaves the others. A body without a field to change is a 400.',
    params,
    body: {
      schema: z
        .object({
          name: name.optional(),
          description: description.optional(),
          is_active: z.boolean().optional(),
        })
        .meta({ id: 'ClassifierChanges' }),
      examples: { retire: { summary: 'Make the classifier inactive', value: { is_active: false } } },
    },
    responses: { 200: { description: 'The classifier as it is now.', ...current } },
    errors: [404],
  },

  addClassifierTags: {
    route: 'POST /classifiers/{id}/tags',
    summary: 'Tag generations',
    description:
      'Tags generations. A generation may have several values in a dimension; an existing tag stays as it is. All generations must be stored, in the workspace of the classifier. Otherwise no generation is tagged, and the 400 names the missing ones.',
    params,
    idempotent: true,
    body: {
      schema: z
        .object({
          tags: z
            .array(
              z
                .object({
                  generation_id: text({ min: 1, max: 64 }),
                  dimension: tagDimension,
                  value: text({ min: 1, max: 256 }),
                })
                .meta({ id: 'ClassifierTag' }),
            )
            .min(1)
            .max(1000),
        })
        .meta({ id: 'ClassifierTags' }),
      examples: {
        topic: {
          summary: 'With the topics of a generation',
          value: {
            tags: [
              {
                generation_id: 'gen-1767225600000-a1B2c3D4e5F6g7H8i9J0',
                dimension: 'topic',
                value: 'billing',
              },
            ],
          },
        },
      },
    },
    responses: {
      200: {
        description: 'All tags are stored.',
        headers: REPLAY_HEADER,
        schema: z
          .object({ data: z.object({ added: z.int().meta({ description: 'The number of new tags.' }) }) })
          .meta({ id: 'ClassifierTagsAdded' }),
        example: { data: { added: 1 } },
      },
    },
    errors: [404],
  },
});

export type ClassifierBody = z.output<typeof classifier>;
