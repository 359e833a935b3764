import { expect, test } from '@jest/globals';
import type { LiveModel } from '../../../../domain/catalog/catalog.ts';
import type { TextRequest } from '../../../../providers/chat-adapter.ts';
import type { ChatBody } from '../../../../services/live/chat/chat-body.ts';
import { createChatService } from '../../../../services/live/chat/chat-service.ts';
import { createLiveScene, liveCall } from '../../../support/live-scene.ts';

/** Returns what the provider of this slug is sent. */
async function sentTo(slug: string, fields: object): Promise<TextRequest> {
  let sent: TextRequest | undefined;
  const { deps } = createLiveScene({
    chat: {
      cacheControl: false,
      async complete(request) {
        sent = request;
        return {
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
        };
      },
      stream: () => Promise.reject(new Error('not asked for')),
    },
  });
  const model = deps.catalog.findLiveModel('m/one', 'chat')!;
  const endpoints = model.endpoints.map((endpoint) => ({ ...endpoint, providerSlug: slug }));
  const catalog = { ...deps.catalog, findLiveModel: (): LiveModel => ({ ...model, endpoints }) };
  const body: ChatBody = { model: 'm/one', messages: [{ content: 'Hello' }], ...fields };
  await createChatService({ ...deps, catalog }).create(liveCall(body));
  return sent!;
}

test('only openai receives store: false', async () => {
  expect(await sentTo('openai', { store: false })).toHaveProperty('store', false);
  expect(await sentTo('p', { store: false })).not.toHaveProperty('store');
  expect(await sentTo('openai', {})).not.toHaveProperty('store');
});

test.each<[asked: object, sent: unknown]>([
  [{ include_reasoning: false }, { exclude: true }],
  [
    { include_reasoning: false, reasoning: { effort: 'low' } },
    { effort: 'low', exclude: true },
  ],
  [{ include_reasoning: false, reasoning: { exclude: false } }, { exclude: false }],
  [{ include_reasoning: true, reasoning: { effort: 'low' } }, { effort: 'low' }],
  [{ include_reasoning: true }, undefined],
  [{ include_reasoning: null }, undefined],
])('a request with %j is sent with the reasoning %j', async (asked, reasoning) => {
  const sent = await sentTo('p', asked);
  expect(sent['reasoning']).toEqual(reasoning);
  expect(sent).not.toHaveProperty('include_reasoning');
});
