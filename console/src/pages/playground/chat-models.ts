/** Reads the models that answer with text. */
import { callTo, useCall, type Schema } from '../../api/call.ts';

export type Model = Schema<'Model'>;

/** The catalog changes rarely. */
const FRESH_MS = 300_000;

export function useChatModels() {
  const call = callTo('GET', '/models', { query: { output_modalities: 'text' } });
  const { data, error, failureReason } = useCall(call, { staleTime: FRESH_MS });
  const models: readonly Model[] = data?.data ?? [];
  const find = (id: string) => models.find((model) => model.id === id);
  return { models, find, error: error ?? failureReason };
}
