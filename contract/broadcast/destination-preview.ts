/** Declares the operation that previews what an observability destination would receive. */
import { z } from 'zod';
import { EXCLUDING_RULES } from '../../domain/broadcast/select-event.ts';
import { answerWith } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { text } from '../text.ts';
import * as examples from './delivery-examples.ts';
import { newDestination } from './destination-body.ts';
import { destinationParams } from './destinations.ts';

const common = { access: 'management', tag: 'Observability' } as const;

/** The id may be any text: an invalid id is a 404, like one that does not exist. */
const generationId = text({ min: 1, max: 64 }).meta({ description: 'A generation of the same workspace.' });

const previewRequest = newDestination
  .safeExtend({ generation_id: generationId })
  .meta({ id: 'ObservabilityPreview' });

const attributes = z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }));
const nanoseconds = z.string().meta({ description: 'Nanoseconds since 1970.' });
const count = z.int().min(0);

/** A span in the JSON form of OTLP. */
const span = z
  .object({
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().optional(),
    name: z.string(),
    kind: z.int(),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    droppedAttributesCount: count,
    events: z.array(
      z.object({ name: z.string(), timeUnixNano: nanoseconds, attributes, droppedAttributesCount: count }),
    ),
    droppedEventsCount: count,
    status: z.object({ code: z.int(), message: z.string().optional() }),
    links: z.array(z.record(z.string(), z.unknown())),
    droppedLinksCount: count,
    flags: z.int(),
  })
  .meta({ id: 'ObservabilitySpan' });

const preview = z
  .discriminatedUnion('sent', [
    z.object({ sent: z.literal(true), span }),
    z.object({
      sent: z.literal(false),
      rule: z.enum(['is_observability_broadcast_enabled', ...EXCLUDING_RULES]).meta({
        description: 'The field of the destination, or of its workspace, that excludes the generation.',
      }),
      reason: z.string().meta({ description: 'The reason in words.' }),
    }),
  ])
  .meta({ id: 'ObservabilityPreviewResult' });

export const destinationPreviewOperations = defineOperations(common, {
  previewObservabilityDestination: {
    route: 'POST /observability/destinations/preview',
    summary: 'Preview a destination',
    description:
      'Takes the body that would create a destination and the id of a generation. Returns the span that the destination would have received, or the first rule that excludes the generation. Stores nothing and sends nothing. `enabled` and the number of destinations have no effect. Prompt and answer are kept for 72 hours, and only if a destination of the workspace needed them when the generation ended. Otherwise they are missing in the span, and filters on `input` and `output` cannot decide, so nothing would be sent. With `privacy_mode` the span has neither. The span is in the form of OTLP, with the names for this type of destination; tools without OTLP receive the same facts in a form of their own. Facts that only the broadcast log holds, such as `trace` and the parameters of the request, may be missing: if the workspace had no destination yet, if the generation was logged late, or if the log of that hour is deleted. That happens after 72 hours, or earlier once every destination has processed it.',
    body: {
      schema: previewRequest,
      examples: { region: { summary: 'A collector for one region', value: examples.previewRequest } },
    },
    responses: {
      200: {
        description: 'The span, or the rule.',
        ...answerWith('ObservabilityPreviewAnswer', preview, examples.preview),
      },
    },
    errors: [404],
  },

  previewStoredObservabilityDestination: {
    route: 'GET /observability/destinations/{id}/preview',
    summary: 'Preview an existing destination',
    description:
      'Returns the span that the destination would receive of a generation with its present settings, or the first rule that excludes the generation. Sends nothing. The rules are those of `POST /observability/destinations/preview`: `privacy_mode` removes prompt and answer, and `enabled` has no effect.',
    params: destinationParams,
    query: z.object({ generation_id: generationId }),
    responses: {
      200: {
        description: 'The span, or the rule.',
        ...answerWith('StoredObservabilityPreviewAnswer', preview, examples.preview),
      },
    },
    errors: [404],
  },
});
