import { testClient } from './client-suite.ts';

const SAID = 'You said: Hello there';

testClient({
  name: 'langchain-openrouter',
  script: 'langchain_openrouter_client.py',
  environment: 'older',
  expected: {
    chat: [SAID, true],
    stream: SAID,
    tools: ['weather', { city: 'Oslo' }, 'The tool said: Rain in Oslo'],
    structured: ['Place', 'Place'],
    vision: 'You said: See [image_url]',
    preferences: SAID,
    errors: {
      key: ['UnauthorizedResponseError', 401],
      model: ['NotFoundResponseError', 404],
      request: ['BadRequestResponseError', 400],
    },
    in_async: [SAID, SAID],
  },
});
