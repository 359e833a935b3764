/** Reads the models that answer with text. */
import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import type { components } from '../../../generated/api.d.ts';

type Model = components['schemas']['Model'];

/** The catalog changes rarely. */
const FRESH_MS = 300_000;

interface ChatModels {
  models: readonly Model[];
  find(id: string): Model | undefined;
  error: Error | null;
}

export function useChatModels(): ChatModels {
  const { data, error, failureReason } = useQuery({
    queryKey: ['models', 'chat'],
    staleTime: FRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { output_modalities: 'text' };
      return (await read(api.GET('/models', { params: { query }, signal }))).data;
    },
  });
  const models = data ?? [];
  return { models, find: (id) => models.find((model) => model.id === id), error: error ?? failureReason };
}
