import { testClient } from './client-suite.ts';

const SAID = 'You said: Hello there';
const CHAT = {
  chat: SAID,
  stream: SAID,
  tools: ['weather', { city: 'Oslo' }, 'The tool said: Rain'],
  structured: 'Place',
  vision: 'You said: See [image_url]',
  in_async: SAID,
  errors: {
    key: ['AuthenticationError', 401],
    model: ['NotFoundError', 404],
    request: ['BadRequestError', 400],
  },
};

testClient({
  name: 'litellm',
  script: 'litellm_client.py',
  environment: 'litellm',
  expected: {
    openai: CHAT,
    openrouter: CHAT,
    anthropic: CHAT,
    embedding: 2,
    images: true,
    speech: true,
    responses: SAID,
    rerank: [1],
  },
});
