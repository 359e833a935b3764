import { testClient } from './client-suite.ts';

const SAID = 'You said: Hello there';

testClient({
  name: 'anthropic',
  script: 'anthropic_client.py',
  environment: 'newest',
  expected: {
    messages: [SAID, 'end_turn', true],
    bearer: SAID,
    stream: [SAID, 'end_turn'],
    tools: ['tool_use', 'weather', { city: 'Oslo' }, 'The tool said: Rain'],
    streamed_tools: ['weather', { city: 'Oslo' }],
    structured: 'Place',
    vision: 'You said: See [image_url]',
    count_tokens: true,
    models: true,
    errors: {
      key: ['AuthenticationError', 401, 'authentication_error', true],
      model: ['NotFoundError', 404, 'not_found_error', true],
      request: ['BadRequestError', 400, 'invalid_request_error', true],
    },
    in_async: [SAID, SAID],
  },
});
