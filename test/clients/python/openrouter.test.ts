import { testClient } from './client-suite.ts';

const SAID = 'You said: Hello there';

testClient({
  name: 'openrouter',
  script: 'openrouter_client.py',
  environment: 'newest',
  expected: {
    chat: SAID,
    stream: SAID,
    tools: ['weather', { city: 'Oslo' }, 'The tool said: Rain'],
    structured: 'Place',
    vision: 'You said: See [image_url]',
    embeddings: [8, 8],
    images: true,
    speech: ['audio/mpeg', true],
    rerank: [1, 0],
    responses: SAID,
    streamed_responses: SAID,
    responses_tools: ['weather', 'The tool said: Rain'],
    errors: {
      key: ['UnauthorizedResponseError', 401],
      model: ['NotFoundResponseError', 404],
      request: ['BadRequestResponseError', 400],
    },
    in_async: [SAID, SAID],
  },
});
