/** Checks fields of requests to the local upstream, with the errors of OpenAI's server. */
import type { z } from 'zod';
import { UpstreamError } from './reply.ts';

/** Parses a JSON body. Throws UpstreamError for the first wrong field, and for a model that is not in the list. */
export function parseRequest<T extends { model: string }>(
  schema: z.ZodType<T>,
  values: unknown,
  models: readonly string[],
): T {
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(issue?.path.join('.') ?? 'body', `${issue?.message}`);
  }
  if (models.includes(parsed.data.model)) return parsed.data;
  throw unknownModel(parsed.data.model);
}

export function invalid(param: string, rule: string): UpstreamError {
  return new UpstreamError(400, `Invalid '${param}': ${rule}.`, { param, code: 'invalid_value' });
}

export function unknownModel(id: unknown): UpstreamError {
  const facts = { code: 'model_not_found', param: 'model' };
  return new UpstreamError(404, `The model '${String(id)}' does not exist.`, facts);
}
