/** Lists the models of the local upstream, as OpenAI's API does (`GET /v1/models`). */
import { jsonReply } from './reply.ts';
import type { Route } from './route.ts';

/** The names that requests of each capability accept. */
const MODELS = [
  'clip-1',
  'clip-tokens',
  'clip-units',
  'clip-credits',
  'clip-deduction',
  'clip-ticks',
  'clip-modalities',
  'clip-canned',
  'echo-1',
  'chat-canned',
  'embed-1',
  'rerank-1',
  'speech-1',
  'speech-units',
  'speech-canned',
  'image-1',
  'image-vector-1',
  'image-units',
  'image-canned',
];

/** Creates the route that lists all models. */
export function createModelListRoute(): Route {
  const data = MODELS.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'local' }));
  return { method: 'GET', path: '/v1/models', handle: () => jsonReply(200, { object: 'list', data }) };
}
