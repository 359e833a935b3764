/** Says how messages are sent to Anthropic's models on Vertex AI. */
import { isFields } from '../../../domain/fields.ts';
import type { AddressMessages } from '../../anthropic/messages.ts';
import { pathOf } from '../generate-content.ts';

/**
 * The model and the version of the API stand in other places than at Anthropic, and betas in the same header
 * (`@anthropic-ai/vertex-sdk` 1.1.3, read 2026-11-28). That package sends the `@` of a dated model as it is. Vercel's
 * client (snapshot of 2026-08-22) sends no `strict` with tools, because Vertex AI does not support it.
 */
export const toVertexClaude: AddressMessages = ({ model, tools, ...body }, isStream) => ({
  path: pathOf(model, isStream ? 'streamRawPredict' : 'rawPredict').replace('%40', '@'),
  body: {
    ...body,
    ...(tools !== undefined && { tools: Array.isArray(tools) ? tools.map(withoutStrict) : tools }),
    anthropic_version: 'vertex-2023-10-16',
  },
});

function withoutStrict(tool: unknown): unknown {
  if (!isFields(tool)) return tool;
  const { strict: _, ...rest } = tool;
  return rest;
}
